import pytest

from banking.choices import LetterVariant
from banking.pdf.letters import render_letter
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import HOSTILE, make_letter

BANK = ["Address", "100 Harbor Street, Portland, OR 97204"]
TELEPHONE = ["Telephone", "(503) 555-0100"]


@pytest.mark.parametrize("variant", LetterVariant)
def test_each_letter_confirms_the_account_and_names_its_number(variant):
    document = ReadDocument(render_letter(make_letter(variant)))

    assert len(document.pages) == 1
    assert "Analytical Engines LLC is the holder of the account named below" in document.text
    assert "opened on Mar 14, 2024, and on Jun 1, 2026 it is open." in document.text
    assert ["Account number", "402178814821"] in document.rows()
    assert "name the reference LTR-7Q4M" in document.text


def test_a_general_letter_has_status_and_opening_date():
    document = ReadDocument(render_letter(make_letter()))

    assert document.title == "Account verification letter"
    assert document.rows() == [
        ["Account holder", "Analytical Engines LLC"],
        ["Address", "1 Mill Road, Suite 400, Portland, OR 97209"],
        ["Account type", "Business checking"],
        ["Account number", "402178814821"],
        ["Status", "Open"],
        ["Opened", "Mar 14, 2024"],
    ]


@pytest.mark.parametrize(
    ("variant", "identifier"),
    [
        (LetterVariant.GENERAL, ["Routing number (ABA)", "123006800"]),
        (LetterVariant.ACH, ["ACH routing number (ABA)", "123006800"]),
        (LetterVariant.WIRE_DOMESTIC, ["Wire routing number (ABA)", "123006800"]),
        (LetterVariant.WIRE_INTERNATIONAL, ["SWIFT / BIC", "VSTBUS66XXX"]),
    ],
)
def test_each_letter_identifies_the_bank_as_its_kind_of_payment_needs(variant, identifier):
    document = ReadDocument(render_letter(make_letter(variant)))

    assert document.rows(1) == [["Name", "Vestibule Bank (sandbox)"], identifier, BANK, TELEPHONE]


def test_only_international_wires_go_through_an_intermediary():
    with_intermediary = {
        variant
        for variant in LetterVariant
        if "HCBKUS33XXX" in ReadDocument(render_letter(make_letter(variant))).text
    }

    assert with_intermediary == {LetterVariant.WIRE_INTERNATIONAL}


def test_a_bank_without_intermediary_names_none():
    letter = make_letter(LetterVariant.WIRE_INTERNATIONAL, intermediary=None)

    assert "Intermediary" not in ReadDocument(render_letter(letter)).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_a_letter(text):
    letter = make_letter(account_holder=text, address_lines=(text,) * 9, account_name=text)

    assert ["Account number", "402178814821"] in ReadDocument(render_letter(letter)).rows()


def test_a_long_name_is_shown_whole():
    name = (
        "The Worshipful Company of Analytical Engine Makers, Repairers and Restorers of Oregon LLC"
    )

    document = ReadDocument(render_letter(make_letter(account_holder=name)))

    assert document.rows()[0] == ["Account holder", name]
