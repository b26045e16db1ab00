import re
import tracemalloc
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banking.choices import TransactionType as T
from banking.imports.csv_files import read
from banking.imports.csv_mapping import Columns, Mapping, load_mapping
from banking.imports.transactions import Fault, ImportedTransaction, UnreadableFile
from tests.banking.imports.conftest import ids, reasons

PLAIN = Mapping(columns=Columns(id="id", date="date", description="text", amount="amount"))
HEADER = "id,date,text,amount\n"


def test_every_column_is_read_as_the_mapping_says(files):
    lines = list(read(files / "larkspur.csv", load_mapping(files / "larkspur.toml")))

    assert lines[0] == ImportedTransaction(
        line=2,
        external_id="LB-1",
        occurred_at=datetime(2026, 3, 3, 2, 30, tzinfo=UTC),
        settled_date=date(2026, 3, 3),
        amount_cents=-4825,
        transaction_type=T.PURCHASE,
        description="Flour, yeast",
        merchant_name="Café Larkspur",
        mcc="5462",
        category="MEALS",
    )
    assert [line.amount_cents for line in lines] == [-4825, 125000, -1250, -7500, 20000]
    assert [line.transaction_type for line in lines] == [
        T.PURCHASE,
        T.FUND_TRANSFER,
        T.FEE,
        T.PURCHASE,
        T.CACHE_DEPOSIT,
    ]


def test_a_pending_line_has_not_settled_and_keeps_its_original_amount(files):
    line = list(read(files / "larkspur.csv", load_mapping(files / "larkspur.toml")))[3]

    assert line.is_pending
    assert line.settled_date is None
    assert (line.original_amount_cents, line.original_currency) == (6800, "EUR")


def test_a_date_without_a_time_is_noon_in_utc(files):
    line = list(read(files / "larkspur.csv", load_mapping(files / "larkspur.toml")))[1]

    assert line.occurred_at == datetime(2026, 3, 5, 12, tzinfo=UTC)


def test_a_text_that_excel_was_made_to_keep_is_unwrapped_and_line_breaks_end(files):
    line = list(read(files / "larkspur.csv", load_mapping(files / "larkspur.toml")))[4]

    assert line.external_id == "000045"
    assert line.description == "Two lines"


def test_debit_and_credit_columns_lines_to_skip_and_a_mark_are_read(files):
    lines = list(read(files / "debit-credit.csv", load_mapping(files / "debit-credit.toml")))

    assert [line.amount_cents for line in lines] == [-120000, 35050, 35050]
    assert [line.line for line in lines] == [4, 5, 6]
    assert lines[0].transaction_type == T.FUND_TRANSFER


def test_lines_without_an_id_get_one_that_is_the_same_in_the_next_file(files, make_file):
    mapping = load_mapping(files / "debit-credit.toml")
    first = ids(read(files / "debit-credit.csv", mapping))
    rows = "Rechnung 7;350,50;;03.03.2026\nRechnung 7;350,50;0,00;03.03.2026\n"
    again = make_file(f"\n\nText;Haben;Soll;Datum\n{rows}")

    second = ids(read(again, mapping))

    assert len(set(first)) == 3
    assert second == first[1:]


def test_a_broken_line_does_not_stop_the_rest(files):
    lines = list(read(files / "faulty.csv", load_mapping(files / "plain.toml")))

    assert ids(lines) == ["good-1", "good-2", "good-3", "good-4"]
    assert reasons(lines) == {
        3: "has 3 columns, not 4",
        4: "has 5 columns, not 4",
        5: "has the date '2026-02-30'",
        6: "has the amount ''",
        7: "has the amount '1O.00'",
        8: "has the amount '1.005': not whole cents",
        9: "has an amount of zero",
        10: "has a formula for the description",
        11: "has a formula for the amount",
        12: "has no id",
        13: "holds NUL bytes",
        14: "has a quote that is not closed",
        16: "has a date in the year 26",
        17: "has an amount beyond a hundred billion dollars",
        18: """is not CSV: ',' expected after '"'""",
        20: "holds bytes that are not in the encoding of the mapping",
    }
    assert [line.line for line in lines] == list(range(2, 22))


def test_a_field_without_end_is_refused_and_the_next_line_is_read(make_file):
    huge = "x" * 3_000_000
    path = make_file(f"{HEADER}1,2026-03-01,{huge},1.00\n2,2026-03-01,a,1.00\n")

    lines = list(read(path, PLAIN))

    assert reasons(lines) == {2: "is longer than 100,000 characters"}
    assert ids(lines) == ["2"]


@pytest.mark.parametrize("spare", [-1, 0, 1, 100_000, 100_001])
def test_the_line_after_a_long_one_is_read(make_file, spare):
    start = "1,2026-03-01,"
    text = "x" * (100_000 + spare - len(start + ",1.00"))
    path = make_file(f"{HEADER}{start}{text},1.00\n2,2026-03-01,a,1.00\n3,2026-03-01,,\n")

    lines = list(read(path, PLAIN))

    assert ids(lines)[-1] == "2"
    assert max(reasons(lines)) == 4


def test_a_quoted_field_without_end_is_refused_and_the_next_line_is_read(make_file):
    huge = "x" * 3_000_000
    path = make_file(f'{HEADER}1,2026-03-01,"{huge},1.00\n2,2026-03-01,a,1.00\n')

    lines = list(read(path, PLAIN))

    assert reasons(lines) == {2: "is longer than 100,000 characters"}
    assert ids(lines) == ["2"]


def test_a_quote_that_stays_open_to_the_end_costs_only_its_line(make_file):
    rows = "".join(f"{n},2026-03-01,a,1.00\n" for n in range(200))
    path = make_file(f'{HEADER}x,2026-03-01,"a,1.00\n{rows}')

    lines = list(read(path, PLAIN))

    assert reasons(lines) == {2: "has a quote that is not closed"}
    assert ids(lines) == [str(n) for n in range(200)]


def test_every_quote_open_is_a_fault_per_line(make_file):
    path = make_file(HEADER + '1,2026-03-01,"a,1.00\n' * 500)

    assert len(reasons(read(path, PLAIN))) == 500


def test_blank_lines_are_nothing(make_file):
    path = make_file(f"\n{HEADER}\n\n1,2026-03-01,a,1.00\n,,,\n\n")

    assert ids(read(path, PLAIN)) == ["1"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
def test_a_file_is_read_in_the_encoding_of_the_mapping(make_file, encoding):
    path = make_file((HEADER + "1,2026-03-01,café,1.00\n").encode(encoding))

    (line,) = read(path, replace(PLAIN, encoding=encoding))

    assert line.description == "café"


def test_a_file_cut_off_within_a_character_ends_in_a_fault(make_file):
    path = make_file((HEADER + "1,2026-03-01,a,1.00\n").encode("utf-16")[:-1])

    lines = list(read(path, replace(PLAIN, encoding="utf-16")))

    assert reasons(lines) == {2: "is not in the encoding of the mapping; nothing after it is"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\n\r\n", "empty"),
        (b"id,when,text,amount\n", "no column 'date'"),
        (b"id,date,text,amount,date\n", "more than one column 'date'"),
        (HEADER.encode("utf-16"), "UTF-16; say so in the mapping"),
        (b"id,d\xe9te,text,amount\n", "Line 1, the header, holds bytes"),
        (b"id,date,\0,amount\n", "Line 1, the header, holds NUL"),
    ],
)
def test_a_file_of_which_nothing_can_be_read_says_why(make_file, content, reason):
    with pytest.raises(UnreadableFile, match=re.escape(reason)):
        list(read(make_file(content), PLAIN))


def test_what_is_positive_may_be_what_left(make_file):
    path = make_file(HEADER + "1,2026-03-01,a,5.00\n2,2026-03-01,b,-7.00\n")

    lines = list(read(path, replace(PLAIN, positive_is="out")))

    assert [line.amount_cents for line in lines] == [-500, 700]
    assert [line.transaction_type for line in lines] == [T.PURCHASE, T.FUND_TRANSFER]


@pytest.mark.parametrize(
    ("cells", "is_negative", "outcome"),
    [
        ("5.00,", False, -500),
        (",5.00", False, 500),
        ("5.00,0.00", False, -500),
        ("-5.00,", True, -500),
        (",5.00", True, 500),
        ("-5.00,", False, "has a debit or a credit of the wrong sign"),
        ("5.00,", True, "has a debit or a credit of the wrong sign"),
        (",-5.00", False, "has a debit or a credit of the wrong sign"),
        ("5.00,5.00", False, "has a debit and a credit"),
        (",", False, "has an amount of zero"),
    ],
)
def test_one_of_debit_and_credit_is_the_amount(make_file, cells, is_negative, outcome):
    columns = Columns(date="date", debit="debit", credit="credit")
    mapping = Mapping(columns=columns, debit_is_negative=is_negative)

    (line,) = read(make_file(f"date,debit,credit\n2026-03-01,{cells}\n"), mapping)

    assert getattr(line, "amount_cents", None) or line.reason == outcome


def test_a_time_is_in_the_zone_of_the_mapping_unless_it_has_its_own(make_file):
    mapping = replace(
        PLAIN,
        timezone="America/New_York",
        date_formats=("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S%z"),
    )
    rows = "1,2026-01-02 20:00,a,1\n2,2026-07-02 20:00,a,1\n3,2026-07-02T20:00:00+02:00,a,1\n"

    lines = list(read(make_file(HEADER + rows), mapping))

    assert [line.occurred_at.isoformat() for line in lines] == [
        "2026-01-03T01:00:00+00:00",
        "2026-07-03T00:00:00+00:00",
        "2026-07-02T18:00:00+00:00",
    ]
    assert lines[0].settled_date == date(2026, 1, 2)


def test_control_and_direction_characters_leave_the_text_and_what_is_long_is_cut(make_file):
    path = make_file(HEADER + f"1,2026-03-01,a\t\u202eb\x07 {'c' * 400},1\n")

    (line,) = read(path, PLAIN)

    assert line.description == f"a b {'c' * 251}"


@given(texts=st.lists(st.text(), max_size=4))
def test_whatever_stands_in_a_line_is_a_transaction_or_a_fault(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "any.csv"
    path.write_bytes(HEADER.encode() + ",".join(texts).encode("utf-8", "surrogatepass"))

    lines = list(read(path, PLAIN))

    assert all(isinstance(line, Fault | ImportedTransaction) for line in lines)


def test_a_long_file_is_read_in_the_memory_of_a_short_one(make_file):
    path = make_file(HEADER + "".join(f"{n},2026-03-01,a,1.00\n" for n in range(20_000)))

    tracemalloc.start()
    count = sum(1 for _ in read(path, PLAIN))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 20_000
    assert peak < 300_000


def test_a_status_that_the_mapping_does_not_know_is_refused(make_file):
    columns = replace(PLAIN.columns, status="status")
    mapping = replace(PLAIN, columns=columns, pending=("Hold",), booked=("Done",))
    rows = "a,2026-03-02,x,1.00,Done\nb,2026-03-02,x,1.00,Hold\nc,2026-03-02,x,1.00,Declined\n"

    lines = list(read(make_file(f"id,date,text,amount,status\n{rows}"), mapping))

    assert [line.is_pending for line in lines[:2]] == [False, True]
    assert reasons(lines) == {4: "has the status 'Declined', neither pending nor booked"}


@pytest.mark.parametrize(
    ("amount", "currency", "outcome"),
    [
        ("1500", "JPY", 1500),
        ("1500.00", "JPY", 1500),
        ("1.234", "KWD", 1234),
        ("1.5", "EUR", 150),
        ("0.5", "JPY", "has an original amount finer than JPY allows"),
        ("1.2345", "KWD", "has an original amount finer than KWD allows"),
        ("100000000000001", "JPY", "has an original amount beyond a hundred trillion"),
        ("5.00", "eur", "has the original currency 'eur'"),
        ("5.00", "EURO", "has the original currency 'EURO'"),
    ],
)
def test_an_original_amount_is_in_the_smallest_unit_of_its_currency(
    make_file, amount, currency, outcome
):
    columns = replace(PLAIN.columns, original_amount="was", original_currency="in")
    row = f"1,2026-03-01,a,-1.00,{amount},{currency}\n"

    (line,) = read(make_file(f"id,date,text,amount,was,in\n{row}"), replace(PLAIN, columns=columns))

    assert (line.reason if isinstance(line, Fault) else line.original_amount_cents) == outcome
