import re
from datetime import UTC, date, datetime

import pytest

from banking.choices import TransactionType as T
from banking.imports.camt_files import read
from banking.imports.transactions import ImportedTransaction, UnreadableFile
from tests.banking.imports.conftest import ids, reasons

VERSIONS = ["02", "03", "04", "05", "06", "07", "08", "10", "12", "13"]
ENTRY = """<Ntry><Amt Ccy="USD">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>2026-03-02</Dt></BookgDt><AcctSvcrRef>R</AcctSvcrRef>{}</Ntry>"""


def statement(*entries, version="08"):
    return (
        f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.{version}"><BkToCstmrStmt>'
        f"<Stmt><Acct><Id><IBAN>X1</IBAN></Id></Acct>\n{''.join(entries)}</Stmt></BkToCstmrStmt>"
        "</Document>"
    )


def details(*amounts, reference="", sign=""):
    parts = [
        f'<TxDtls><Refs>{reference}</Refs><Amt Ccy="USD">{amount}</Amt>{sign}</TxDtls>'
        for amount in amounts
    ]
    return f"<NtryDtls>{''.join(parts)}</NtryDtls>"


def coded(family, subfamily):
    return (
        f"<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>{family}</Cd><SubFmlyCd>{subfamily}</SubFmlyCd>"
        "</Fmly></Domn></BkTxCd>"
    )


def test_a_statement_of_version_2_is_read(files):
    lines = list(read(files / "statement-v02.xml"))

    assert lines[0] == ImportedTransaction(
        line=18,
        external_id="REF-0001",
        occurred_at=datetime(2026, 3, 3, 2, 30, tzinfo=UTC),
        settled_date=date(2026, 3, 3),
        amount_cents=-4825,
        transaction_type=T.PURCHASE,
        description="Card 4242 flour and yeast",
        merchant_name="Larkspur Bakery & Co",
        original_amount_cents=4410,
        original_currency="EUR",
    )


def test_an_entry_is_split_only_where_its_details_make_up_its_amount(files):
    lines = list(read(files / "statement-v02.xml"))[1:]

    assert [(line.external_id, line.amount_cents) for line in lines] == [
        ("REF-0002/1", 10000),
        ("REF-0002/2", 25000),
        ("REF-0003", -8000),
    ]


def test_a_statement_of_version_8_is_read(files):
    lines = list(read(files / "statement-v08.xml"))

    assert [(line.amount_cents, line.transaction_type) for line in lines] == [
        (1999, T.REFUND),
        (-7500, T.PURCHASE),
        (-250, T.FEE),
        (500, T.FUND_TRANSFER),
        (500, T.FUND_TRANSFER),
        (60000, T.CHECK_DEPOSIT),
        (20000, T.CACHE_DEPOSIT),
        (-4000, T.ATM),
    ]
    assert lines[0].mcc == "5812"
    assert [line.is_pending for line in lines[:3]] == [False, True, False]
    assert lines[1].settled_date is None


def test_entries_without_a_reference_get_ids_that_stay(files, make_file):
    text = (files / "statement-v08.xml").read_text()
    first = ids(read(files / "statement-v08.xml"))[3:5]
    alone = text[: text.index("<Ntry>")] + re.findall(r"<Ntry>.*?</Ntry>", text, re.DOTALL)[4]

    second = ids(read(make_file(alone + "</Stmt></BkToCstmrStmt></Document>")))

    assert first[0].startswith("derived-")
    assert first[0] != first[1]
    assert second == [first[0]]


def test_a_broken_entry_does_not_stop_the_rest(files):
    lines = list(read(files / "statement-faulty.xml"))

    assert ids(lines) == ["good-1", "good-2"]
    assert reasons(lines) == {
        26: "has the amount '1,00'",
        34: "has the amount '-1.00'",
        42: "has an amount of zero",
        50: "says neither CRDT nor DBIT",
        58: "has the status 'INFO', neither BOOK nor PDNG",
        66: "has the date '2026-02-30'",
        74: "has neither a date of booking nor of value",
        82: "is in 'EUR', not in USD",
        90: "has a date in the year 26",
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_read(make_file, version):
    assert ids(read(make_file(statement(ENTRY, version=version)))) == ["R"]


def test_a_prefix_of_the_namespace_changes_nothing(make_file):
    text = re.sub(r"<(/?)(\w)", r"<\1camt:\2", statement(ENTRY)).replace("xmlns=", "xmlns:camt=")

    assert ids(read(make_file(text))) == ["R"]


@pytest.mark.parametrize(
    ("amounts", "parts"),
    [
        (["4.00", "6.00"], [-400, -600]),
        (["10.00"], [-1000]),
        (["3.00"], [-1000]),
        (["4.00", "5.00"], [-1000]),
        (["4.00", "six"], [-1000]),
        (["5.00", "5.00"], [-500, -500]),
    ],
)
def test_the_amount_of_an_entry_is_always_kept(make_file, amounts, parts):
    lines = list(read(make_file(statement(ENTRY.format(details(*amounts))))))

    assert [line.amount_cents for line in lines] == parts
    assert len(set(ids(lines))) == len(parts)


def test_details_may_go_the_other_way(make_file):
    refund = details("2.00", sign="<CdtDbtInd>CRDT</CdtDbtInd>").removesuffix("</NtryDtls>")
    purchase = details("12.00").removeprefix("<NtryDtls>")

    lines = list(read(make_file(statement(ENTRY.format(refund + purchase)))))

    assert [line.amount_cents for line in lines] == [200, -1200]


def test_a_reference_that_says_there_is_none_is_none(make_file):
    entry = ENTRY.replace("<AcctSvcrRef>R<", "<AcctSvcrRef>NotProvided<")
    none = "<Refs><AcctSvcrRef>NOTPROVIDED</AcctSvcrRef></Refs>"
    entries = [
        entry.format(
            f"<NtryDtls><TxDtls>{none}<RmtInf><Ustrd>Invoice {number}</Ustrd></RmtInf></TxDtls>"
            "</NtryDtls>"
        )
        for number in (7, 8)
    ]

    lines = list(read(make_file(statement(*entries))))

    assert len({line.external_id for line in lines}) == 2
    assert not any("NOTPROVIDED" in line.external_id.upper() for line in lines)


def test_details_of_which_not_all_have_a_reference_do_not_share_one(make_file):
    references = ["A", "NOTPROVIDED", "NONREF"]
    parts = [
        details(amount, reference=f"<AcctSvcrRef>{reference}</AcctSvcrRef>")
        for amount, reference in zip(["4.00", "3.00", "3.00"], references, strict=True)
    ]
    entry = ENTRY.format("".join(parts).replace("</NtryDtls><NtryDtls>", ""))

    assert ids(read(make_file(statement(entry)))) == ["A/1", "R/2", "R/3"]


def test_an_amount_instructed_in_another_currency_is_not_taken_for_the_booked_one(make_file):
    detail = (
        "<NtryDtls><TxDtls><AmtDtls><InstdAmt><Amt Ccy='JPY'>1500</Amt></InstdAmt></AmtDtls>"
        "</TxDtls></NtryDtls>"
    )

    (line,) = read(make_file(statement(ENTRY.format(detail))))

    assert line.amount_cents == -1000
    assert (line.original_amount_cents, line.original_currency) == (1500, "JPY")


@pytest.mark.parametrize(
    ("amount", "currency", "reason"),
    [
        ("0.5", "JPY", "has an original amount finer than JPY allows"),
        ("100000000000001", "JPY", "has an original amount beyond a hundred trillion"),
        ("5.00", "eur", "has the original currency 'eur'"),
        ("5.00", "EURO", "has the original currency 'EURO'"),
        ("5.00", "", "has the original currency ''"),
        ("NaN", "EUR", "has an original amount that is no number"),
        ("-5.00", "EUR", "has an original amount that is no number"),
    ],
)
def test_an_original_amount_that_its_currency_does_not_have_is_refused(
    make_file, amount, currency, reason
):
    detail = (
        f"<NtryDtls><TxDtls><AmtDtls><InstdAmt><Amt Ccy='{currency}'>{amount}</Amt></InstdAmt>"
        "</AmtDtls></TxDtls></NtryDtls>"
    )

    assert [*reasons(read(make_file(statement(ENTRY.format(detail))))).values()] == [reason]


@pytest.mark.parametrize(
    ("code", "types"),
    [
        (("CCRD", "POSD"), (T.PURCHASE, T.REFUND)),
        (("CCRD", "CWDL"), (T.ATM, T.CACHE_DEPOSIT)),
        (("CCRD", "COMM"), (T.FEE, T.REFUND)),
        (("CNTR", "CDPT"), (T.ATM, T.CACHE_DEPOSIT)),
        (("CNTR", "CHKD"), (T.FUND_TRANSFER, T.CHECK_DEPOSIT)),
        (("RCHQ", "ARET"), (T.FUND_TRANSFER, T.CHECK_DEPOSIT)),
        (("ICDT", "DMCT"), (T.FUND_TRANSFER, T.FUND_TRANSFER)),
        (("MDOP", "CHRG"), (T.FEE, T.REFUND)),
        (("XXXX", "YYYY"), (T.FUND_TRANSFER, T.FUND_TRANSFER)),
    ],
)
def test_a_bank_transaction_code_tells_the_type(make_file, code, types):
    out = ENTRY.format(coded(*code))

    lines = read(make_file(statement(out, out.replace("DBIT", "CRDT"))))

    assert tuple(line.transaction_type for line in lines) == types


def test_an_entry_of_another_account_of_the_file_is_refused(make_file):
    other = "</Stmt><Stmt><Acct><Id><Othr><Id>000087654321</Id></Othr></Id></Acct>"

    lines = list(read(make_file(statement(ENTRY, other, ENTRY))))

    assert ids(lines) == ["R"]
    assert [*reasons(lines).values()] == ["is of another account of this file, ending 4321"]


def test_dates_may_carry_a_zone(make_file):
    dates = [
        "<Dt>2026-03-02+05:30</Dt>",
        "<DtTm>2026-03-02T01:00:00+02:00</DtTm>",
        "<DtTm>2026-03-02T01:00:00</DtTm>",
    ]
    entries = [ENTRY.replace("<Dt>2026-03-02</Dt>", stated) for stated in dates]

    lines = list(read(make_file(statement(*entries))))

    assert [line.occurred_at.isoformat() for line in lines] == [
        "2026-03-02T12:00:00+00:00",
        "2026-03-01T23:00:00+00:00",
        "2026-03-02T01:00:00+00:00",
    ]
    assert {line.settled_date for line in lines} == {date(2026, 3, 2)}


def test_the_date_of_value_stands_in_for_that_of_booking(make_file):
    (line,) = read(make_file(statement(ENTRY.replace("BookgDt", "ValDt"))))

    assert line.settled_date == date(2026, 3, 2)


def test_a_statement_that_was_cut_off_gives_what_is_whole_and_a_fault(files, make_file):
    text = (files / "statement-v08.xml").read_text()

    lines = list(read(make_file(text[: text.index("<AcctSvcrRef>R-2")])))

    assert ids(lines) == ["R-1"]
    assert ["the file is broken here" in reason for reason in reasons(lines).values()] == [True]


def test_a_statement_that_is_broken_in_the_middle_gives_what_is_before_and_a_fault(make_file):
    path = make_file(statement(ENTRY, "\n", ENTRY.replace("</Amt>", "</Amount>"), ENTRY))

    lines = list(read(path))

    assert ids(lines) == ["R"]
    assert "the file is broken here: Opening and ending tag mismatch" in reasons(lines)[4]


def test_a_text_without_end_is_a_fault(make_file):
    huge = f"<AddtlNtryInf>{'x' * 11_000_000}</AddtlNtryInf>"

    lines = list(read(make_file(statement(ENTRY, "\n", ENTRY.format(huge)))))

    assert ids(lines) == ["R"]
    assert ["too long" in reason for reason in reasons(lines).values()] == [True]


@pytest.mark.parametrize("name", ["bomb.xml", "external.xml"])
def test_a_document_type_is_refused(files, name):
    with pytest.raises(UnreadableFile, match="document type"):
        read(files / name)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "not XML"),
        ("Datum;Betrag", "not XML"),
        ("<Document/>", "not ISO 20022"),
        ("<a:b:c/>", "no proper name"),
        (statement(ENTRY).replace("camt.053", "camt.052"), "camt.052"),
        (statement(ENTRY).replace("camt.053", "pain.001"), "not ISO 20022"),
    ],
)
def test_what_is_no_statement_is_refused(make_file, content, reason):
    with pytest.raises(UnreadableFile, match=reason):
        read(make_file(content))
