from datetime import UTC, date, datetime

import pytest

from banking.choices import TransactionType as T
from banking.imports.ofx_files import TRNTYPES, read
from banking.imports.transactions import ImportedTransaction, UnreadableFile
from tests.banking.imports.conftest import ids, reasons

HEADER = "OFXHEADER:100\nCHARSET:1252\n\n<OFX><STMTRS><CURDEF>USD<BANKTRANLIST>\n"
END = "</BANKTRANLIST></STMTRS></OFX>\n"


def sgml(*entries):
    return HEADER + "".join(f"<STMTTRN>{entry}</STMTTRN>\n" for entry in entries) + END


def entry(*, code="DEBIT", posted="20260302", amount="-1.00", fitid="1", more="<NAME>Somebody"):
    return f"<TRNTYPE>{code}<DTPOSTED>{posted}<TRNAMT>{amount}<FITID>{fitid}{more}"


def test_a_statement_of_a_bank_account_in_sgml_is_read(files):
    lines = list(read(files / "checking.ofx"))

    assert lines[0] == ImportedTransaction(
        line=43,
        external_id="LB-0001",
        occurred_at=datetime(2026, 3, 3, 2, 30, tzinfo=UTC),
        settled_date=date(2026, 3, 3),
        amount_cents=-4825,
        transaction_type=T.PURCHASE,
        description="Larkspur Bakery & Co Flour, yeast & a café crème",
        merchant_name="Larkspur Bakery & Co",
        mcc="5462",
    )
    assert [(line.line, line.amount_cents, line.transaction_type) for line in lines[1:]] == [
        (53, 125000, T.FUND_TRANSFER),
        (61, -1250, T.FEE),
        (69, -30000, T.FUND_TRANSFER),
        (77, -6000, T.ATM),
        (84, -11000, T.PURCHASE),
        (95, -7500, T.PURCHASE),
    ]


def test_an_amount_converted_by_the_bank_keeps_the_original_one(files):
    line = list(read(files / "checking.ofx"))[5]

    assert (line.original_amount_cents, line.original_currency) == (10000, "EUR")


@pytest.mark.parametrize(
    ("rate", "symbol", "original"),
    [
        ("0.0067", "JPY", (149, "JPY")),
        ("3.25", "KWD", (308, "KWD")),
        ("0.0000000000000001", "JPY", (None, "")),
        ("0", "EUR", (None, "")),
        ("NaN", "EUR", (None, "")),
    ],
)
def test_the_amount_before_the_conversion_is_rounded_to_its_currency(
    make_file, rate, symbol, original
):
    more = f"<NAME>Somebody<ORIGCURRENCY><CURRATE>{rate}<CURSYM>{symbol}</ORIGCURRENCY>"

    (line,) = read(make_file(sgml(entry(more=more))))

    assert (line.original_amount_cents, line.original_currency) == original


def test_a_hold_is_pending(files):
    line = list(read(files / "checking.ofx"))[6]

    assert line.is_pending
    assert line.settled_date is None


def test_a_statement_of_a_credit_card_in_xml_is_read(files):
    lines = list(read(files / "card.qfx"))

    assert ids(lines) == ["CC1", "CC2", "CC3"]
    assert [line.amount_cents for line in lines] == [-1999, 50000, 1999]
    assert [line.transaction_type for line in lines] == [T.PURCHASE, T.FUND_TRANSFER, T.REFUND]
    assert lines[0].description == "Ferris & Wheel Café Lunch <for two>"
    assert lines[0].line == 21


def test_a_broken_transaction_does_not_stop_the_rest(files):
    lines = list(read(files / "faulty.ofx"))

    assert ids(lines) == ["good-1", "good-1", "good-2"]
    assert reasons(lines) == {
        10: "has the amount '-1,234': a comma of thousands?",
        11: "has the amount 'NaN'",
        12: "has the amount 'null'",
        13: "has the amount '-1.005': not whole cents",
        14: "has an amount of zero",
        15: "has the date '20260231'",
        16: "has the date '20260302999999'",
        17: "has the date '20260302120000[-3:30:NST]'",
        18: "has no id",
        19: "has the date ''",
        20: "has the amount ''",
        21: "has the transaction type 'MAGIC'",
        22: "is in 'EUR', not in USD",
        23: "has TRNAMT 2 times",
        30: "is of another account of this file, ending 4321",
    }


@pytest.mark.parametrize(
    ("posted", "occurred_at"),
    [
        ("20260302", "2026-03-02T12:00:00+00:00"),
        ("20260302[-5:EST]", "2026-03-02T12:00:00+00:00"),
        ("20260302120000", "2026-03-02T12:00:00+00:00"),
        ("202603021200", "2026-03-02T12:00:00+00:00"),
        ("20260302120000[-5:EST]", "2026-03-02T17:00:00+00:00"),
        ("20260302120000[-5]", "2026-03-02T17:00:00+00:00"),
        ("20260302120000.123[-5:EST]", "2026-03-02T17:00:00+00:00"),
        ("20260302120000 [+10:AEST]", "2026-03-02T02:00:00+00:00"),
        ("20260302120000[-3.5:NST]", "2026-03-02T15:30:00+00:00"),
        ("20260302120000[5.30:IST]", "2026-03-02T06:30:00+00:00"),
        ("20260302120000[5.75:NPT]", "2026-03-02T06:15:00+00:00"),
        ("20260302230000[-0.5:X]", "2026-03-02T23:30:00+00:00"),
    ],
)
def test_a_time_is_read_with_its_zone(make_file, posted, occurred_at):
    (line,) = read(make_file(sgml(entry(posted=posted))))

    assert line.occurred_at.isoformat() == occurred_at
    assert line.settled_date == date(2026, 3, 2)


@pytest.mark.parametrize(
    "posted", ["2026-03-02", "20260302T120000", "20260302120000[-5.99:X]", "20260302120000[-25:X]",
               "20261301", "00000000", "00010101", "20260302120000EST", "٢٠٢٦٠٣٠٢"],
)  # fmt: skip
def test_a_date_that_could_be_misread_is_refused(make_file, posted):
    (line,) = read(make_file(sgml(entry(posted=posted))))

    assert "date" in line.reason


@pytest.mark.parametrize(
    ("amount", "cents"),
    [("-1.00", -100), ("+1", 100), ("-1,50", -150), ("1.", 100), (".5", 50), ("-12.5000", -1250)],
)
def test_an_amount_is_read_with_a_point_or_a_comma(make_file, amount, cents):
    (line,) = read(make_file(sgml(entry(amount=amount))))

    assert line.amount_cents == cents


@pytest.mark.parametrize(
    "amount", ["1.234,56", "1,234.56", "12 34", "1e5", "--1", "Infinity", "$1"]
)
def test_an_amount_that_could_be_misread_is_refused(make_file, amount):
    (line,) = read(make_file(sgml(entry(amount=amount))))

    assert "has the amount" in line.reason


@pytest.mark.parametrize("code", TRNTYPES)
def test_every_transaction_type_of_the_standard_is_known(make_file, code):
    out, into = read(make_file(sgml(entry(code=code), entry(code=code, amount="1.00", fitid="2"))))

    assert (out.transaction_type, into.transaction_type) == TRNTYPES[code]


def test_an_amount_in_another_currency_is_refused_with_the_account_in_it(make_file):
    path = make_file(sgml(entry()).replace("USD", "EUR"))

    assert reasons(read(path)) == {5: "is in 'EUR', not in USD"}


def test_a_transaction_that_will_come_back_under_an_unknown_id_is_refused(make_file):
    path = make_file(
        HEADER + "<STMTTRNP><TRNTYPE>POS<DTTRAN>20260302<TRNAMT>-5<NAME>Cafe</STMTTRNP>\n" + END
    )

    assert reasons(read(path)) == {5: "is pending without an id that its posting will repeat"}


def test_an_id_that_is_too_long_is_kept_as_a_digest(make_file):
    first, second = read(make_file(sgml(entry(fitid="7" * 255), entry(fitid="7" * 254 + "8"))))

    assert first.external_id.startswith("digest-")
    assert first.external_id != second.external_id


@pytest.mark.parametrize("content", [b"caf\xe9", "café".encode()])
def test_text_is_read_as_utf_8_and_else_as_windows_wrote_it(make_file, content):
    path = make_file(sgml(entry(more="<NAME>@")).encode().replace(b"@", content))

    (line,) = read(path)

    assert line.merchant_name == "café"


def test_a_file_on_one_line_is_read(make_file):
    entries = [entry(fitid=str(number)) for number in range(2000)]
    path = make_file(sgml(*entries).replace("\n", " ", 2).replace(">\n<", "><"))

    assert len(ids(read(path))) == 2000


def test_lines_beyond_65535_are_numbered(make_file):
    path = make_file(sgml(entry()).replace("<STMTTRN>", "\n" * 70_000 + "<STMTTRN>"))

    (line,) = read(path)

    assert line.line == 70_005


def test_a_file_that_was_cut_off_gives_what_is_whole_and_a_fault(make_file):
    path = make_file(sgml(entry(), entry(fitid="2"))[: -len(END) - 20])

    lines = list(read(path))

    assert ids(lines) == ["1"]
    assert reasons(lines) == {6: "the file ends before </OFX>"}


def test_xml_that_was_cut_off_gives_what_is_whole_and_a_fault(files, make_file):
    text = (files / "card.qfx").read_text()

    lines = list(read(make_file(text[: text.index("<FITID>CC2")])))

    assert ids(lines) == ["CC1"]
    assert "the file is broken here" in reasons(lines)[40]


def test_a_transaction_that_is_not_closed_ends_the_file(make_file):
    path = make_file(sgml(entry(), entry(fitid="2"), entry(fitid="3")).replace("</STMTTRN>", "", 1))

    assert reasons(read(path)) == {5: "is not closed; the file is read no further"}


def test_a_text_without_end_is_a_fault(make_file):
    path = make_file(sgml(entry(), entry(fitid="2", more="<MEMO>" + "x" * 2_000_000)))

    lines = list(read(path))

    assert ids(lines) == ["1"]
    assert reasons(lines) == {6: "holds a text of more than 1,000,000 characters"}


def test_xml_with_a_document_type_is_refused(files):
    with pytest.raises(UnreadableFile, match="document type"):
        list(read(files / "bomb.ofx"))


def test_entities_in_sgml_are_text(make_file):
    bomb = '<!DOCTYPE OFX [<!ENTITY a "b">]>\n<OFX>'
    path = make_file(sgml(entry(more="<NAME>&a;")).replace("<OFX>", bomb))

    (line,) = read(path)

    assert line.merchant_name == "&a;"


def test_a_tag_that_is_none_is_no_field(make_file):
    path = make_file(sgml(entry(more="<NA<ME>Somebody<r:1>"), entry(fitid="2")))

    assert ids(read(path)) == ["1", "2"]


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 100, b"OFXHEADER:100\n\n", b"<?xml version='1.0'?><html/>", b"<?xml"]
)
def test_what_is_not_ofx_is_refused(make_file, content):
    with pytest.raises(UnreadableFile):
        list(read(make_file(content)))


def test_a_charset_that_would_turn_names_to_nonsense_is_refused(make_file):
    with pytest.raises(UnreadableFile, match="CHARSET"):
        list(read(make_file(sgml(entry()).replace("CHARSET:1252", "CHARSET:1251"))))
