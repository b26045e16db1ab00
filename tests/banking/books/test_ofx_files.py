import dataclasses
from datetime import UTC, date, datetime

import pytest
from lxml import etree

from banking.books.months import Line, Month
from banking.books.ofx_files import ACCOUNT_TYPES, TRNTYPES, write_ofx, write_qbo
from banking.choices import STATEMENT_ACCOUNT_TYPES, AccountType, TransactionType
from banking.imports import ofx_files as reader
from banking.imports.transactions import ImportedTransaction
from tests.banking.books.reading import read_ofx

ID = "01900000-0000-7000-8000-00000000000"
TEXTS = [
    "Fish & Chips <b>",
    "]]> &amp; <!-- <?php",
    "</NAME><FITID>forged",
    "Café \u20ac Zürich",
    "two\r\nlines\tand a tab",
    "bell \x07, null \x00 and \ufffe",
    "x" * 300,
    "=HYPERLINK(1)",
]


def line(number=1, cents=-1_250, *, kind="PURCHASE", name="Corner Bakery", text="Lunch"):
    return Line.of(
        external_id=f"{ID}{number}",
        settled_date=date(2026, 3, number),
        amount_cents=cents,
        transaction_type=kind,
        merchant_name=name,
        description=text,
    )


def month(*lines, **values):
    facts = {
        "bank_name": "Vestibule Bank",
        "routing_number": "110000000",
        "account_type": AccountType.MAIN_ACCOUNT,
        "account_last4": "0006",
        "first_day": date(2026, 3, 1),
        "last_day": date(2026, 3, 31),
        "opening_cents": 10_000,
        "closing_cents": 8_750,
        "closed_at": datetime(2026, 4, 1, 3, tzinfo=UTC),
        "lines": lines,
    }
    return Month(**{**facts, **values})


def ofx(month):
    return b"".join(write_ofx(month))


def qbo(month):
    return b"".join(write_qbo(month, intuit_id="99999"))


EITHER = pytest.mark.parametrize("write", [ofx, qbo])


def test_an_ofx_file_is_xml_with_the_elements_in_their_order():
    root = etree.fromstring(ofx(month(line())))

    paths = [root.getroottree().getpath(element) for element in root.iter()]
    statement = "/OFX/BANKMSGSRSV1/STMTTRNRS/STMTRS"
    own = [path.removeprefix(statement) for path in paths if path.startswith(f"{statement}/")]
    assert [path for path in own if path.count("/") == 1] == [
        *("/CURDEF", "/BANKACCTFROM", "/BANKTRANLIST", "/LEDGERBAL", "/BALLIST"),
    ]
    transaction = [element.tag for element in root.find(".//STMTTRN")]
    assert transaction == ["TRNTYPE", "DTPOSTED", "TRNAMT", "FITID", "NAME", "MEMO"]
    assert root.findtext(".//BALLIST/BAL/VALUE") == "100.00"


def test_a_qbo_file_has_the_header_of_version_1_and_the_number_of_the_bank():
    content = qbo(month(line()))

    head, _, body = content.partition(b"\r\n\r\n")
    assert head.split(b"\r\n") == [
        *(b"OFXHEADER:100", b"DATA:OFXSGML", b"VERSION:102", b"SECURITY:NONE"),
        *(b"ENCODING:USASCII", b"CHARSET:1252", b"COMPRESSION:NONE"),
        *(b"OLDFILEUID:NONE", b"NEWFILEUID:NONE"),
    ]
    assert b"<INTU.BID>99999\r\n" in body
    assert b"BALLIST" not in body
    assert read_ofx(content).signon.fi_fid == "99999"


@EITHER
def test_a_library_reads_account_balance_and_lines(write):
    file = read_ofx(write(month(line(2), line(3, 500, kind="FEE", name="", text="Returned fee"))))

    account, statement = file.account, file.account.statement
    assert (account.routing_number, account.account_id) == ("110000000", "XXXXXXXX0006")
    assert (account.account_type, statement.currency) == ("CHECKING", "usd")
    assert statement.balance * 100 == 8_750
    assert (statement.start_date.date(), statement.end_date.date()) == (
        date(2026, 3, 1),
        date(2026, 3, 31),
    )
    assert [(row.id, row.type, row.payee, row.memo) for row in statement.transactions] == [
        (f"{ID}2", "pos", "Corner Bakery", "Corner Bakery: Lunch"),
        (f"{ID}3", "credit", "Returned fee", ""),
    ]
    assert [(row.amount * 100, row.date.date()) for row in statement.transactions] == [
        (-1_250, date(2026, 3, 2)),
        (500, date(2026, 3, 3)),
    ]


@EITHER
@pytest.mark.parametrize("text", TEXTS)
def test_no_text_breaks_the_file_or_forges_a_field(write, text, make_file):
    content = write(month(line(1, name=text, text=""), line(2, text=text), line(3)))

    read = list(reader.read(make_file(content)))
    assert [row.external_id for row in read] == [f"{ID}{number}" for number in (1, 2, 3)]
    assert [row.id for row in read_ofx(content).account.statement.transactions] == [
        f"{ID}{number}" for number in (1, 2, 3)
    ]
    assert write is qbo or etree.fromstring(content) is not None


@EITHER
def test_our_own_import_reads_each_line_as_it_was(write, make_file):
    kinds = [(kind, cents) for kind in TransactionType for cents in (-700, 700)]
    lines = [
        dataclasses.replace(line(kind=kind, cents=cents), external_id=f"id-{number}")
        for number, (kind, cents) in enumerate(kinds)
    ]

    read = list(reader.read(make_file(write(month(*lines)))))

    assert all(isinstance(row, ImportedTransaction) for row in read)
    assert [(row.external_id, row.amount_cents, row.settled_date) for row in read] == [
        (each.external_id, each.amount_cents, each.settled_date) for each in lines
    ]


def test_a_letter_that_windows_lacks_is_a_question_mark_in_qbo_alone():
    file = month(line(name="Łódź Café"))

    assert b"<NAME>?\xf3d? Caf\xe9\r\n" in qbo(file)
    assert "<NAME>Łódź Café</NAME>" in ofx(file).decode()


def test_a_name_has_32_characters_and_the_memo_the_whole():
    root = etree.fromstring(ofx(month(line(name="n" * 40, text=""))))

    assert [root.findtext(f".//{name}") for name in ("NAME", "MEMO")] == ["n" * 32, "n" * 40]


def test_a_line_without_a_text_is_named_by_its_type():
    root = etree.fromstring(ofx(month(line(name=" ", text=""))))

    assert root.findtext(".//STMTTRN/NAME") == "Purchase"


def test_a_month_without_lines_is_a_file():
    assert read_ofx(ofx(month())).account.statement.transactions == []


@pytest.mark.parametrize("kind", STATEMENT_ACCOUNT_TYPES)
def test_every_account_with_statements_has_a_type(kind):
    root = etree.fromstring(ofx(month(account_type=kind)))

    assert root.findtext(".//ACCTTYPE") == ACCOUNT_TYPES.get(kind, "SAVINGS")
    assert {*TRNTYPES} == {*TransactionType}
