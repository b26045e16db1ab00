"""CSV files of the feed: columns from the schemas, the habits of spreadsheets, faults of rows."""

import csv
import io
from collections import defaultdict
from datetime import date

import orjson
import pytest

from banking.demo import bank
from banking.feed import csv_files
from banking.feed.batches import run
from banking.feed.csv_files import Unreadable, column_of, columns_of, read_rows, template
from banking.feed.lines import RawLine, Terms, parse
from banking.feed.registry import KINDS
from banking.models import Account, Business, FeedBatch
from tests.banking.feed.conftest import BUSINESS
from tests.factories import NOON

ROW = {"externalId": "B-1", "version": "1", **BUSINESS}


def write(rows, *, delimiter=",", names=None):
    """Return a CSV file of rows as a spreadsheet writes it."""
    text = io.StringIO()
    writer = csv.DictWriter(text, names or list(rows[0]), delimiter=delimiter, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def read(content, kind="businesses", **options):
    return [orjson.loads(raw.text) for raw in read_rows(io.BytesIO(content), kind, **options)]


def cell_of(line, column):
    """Return the cell in which a column has the value of a line."""
    value = line
    for name in column.path:
        value = value.get(name) if value else None
    if isinstance(value, list):
        return orjson.dumps(value).decode()
    return "" if value is None else str(value)


@pytest.fixture
def take(db):
    """Return a function that stores a CSV file and returns the outcomes of its rows."""

    def take(content, kind="businesses"):
        batch = FeedBatch.objects.create(source="COMMAND", started_at=NOON)
        rows = read_rows(io.BytesIO(content), kind)
        outcomes = run(rows, batch=batch, terms=Terms(kind=kind), clock=lambda: NOON)
        return [outcome.as_json() for outcome in outcomes]

    return take


def faults(outcome):
    """Return row, column and message of each fault."""
    return [
        (outcome["line"], column_of(error["field"] or ""), error["message"])
        for error in outcome["errors"]
    ]


def test_the_columns_of_a_kind_are_those_of_its_schema():
    names = [column.name for column in columns_of("accounts")]

    assert names == [
        *["externalId", "version", "removed", "business", "accountType", "name", "accountNumber"],
        *["status", "creditLimitCents", "endDate", "openedAt", "closedAt"],
        *["taxSettings.isActive", "taxSettings.isAutoSaveEnabled"],
        *["taxSettings.autoSetAsidePercent", "taxSettings.estimatedTaxRatePercent"],
    ]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_has_a_template_of_which_no_two_columns_have_one_name(kind):
    (header,) = csv.reader(io.StringIO(template(kind).content.decode()))

    assert header[:3] == ["externalId", "version", "removed"]
    assert len(set(header)) == len(header)
    assert read(template(kind).content, kind) == []


def test_a_field_of_the_data_that_is_named_like_one_of_the_line_says_so():
    assert "data.version" in [column.name for column in columns_of("terms")]
    assert (column_of("/version"), column_of("/data/version")) == ("version", "data.version")


@pytest.mark.django_db
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_each_record_of_the_demo_is_the_same_as_csv(delimiter):
    planned, _ = bank.plan(bank.Wanted(until=date(2026, 11, 21), businesses=1, months=1))
    by_kind = defaultdict(list)
    for text in planned:
        by_kind[orjson.loads(text)["kind"]].append(text)

    for kind, texts in by_kind.items():
        sent = [parse(RawLine(1, text, 0), Terms()) for text in texts]
        rows = [
            {column.name: cell_of(orjson.loads(text), column) for column in columns_of(kind)}
            for text in texts
        ]
        content = io.BytesIO(write(rows, delimiter=delimiter))
        came = [parse(raw, Terms(kind=kind)) for raw in read_rows(content, kind)]
        assert [one.digest for one in came] == [one.digest for one in sent], kind
        assert [one.external_id for one in came] == [one.external_id for one in sent]
    assert set(KINDS) - by_kind.keys() == {"payment-rules"}


@pytest.mark.parametrize("version", ["2026-03-01T00:00:00Z", "7", '="7"'])
def test_a_version_is_a_number_or_a_timestamp(take, version):
    assert take(write([ROW | {"version": version}]))[0]["result"] == "created"


def test_rows_are_stored_updated_and_removed(take):
    assert [one["result"] for one in take(write([ROW, ROW | {"externalId": "B-2"}]))] == [
        "created",
        "created",
    ]
    newer = write([ROW | {"version": "2", "legalName": "Harbor Bread LLC"}])

    assert take(newer)[0]["result"] == "updated"
    assert Business.objects.filter(legal_name="Harbor Bread LLC").exists()
    removal = write([{"externalId": "D-1", "version": "1", "removed": "TRUE"}])
    assert take(removal, "addresses")[0]["result"] == "removed"


def test_dotted_columns_fill_the_object_and_leave_it_out_where_all_are_empty(take):
    take(write([ROW]))
    account = {"version": "1", "business": "B-1", "openedAt": "2026-01-02T10:00:00Z"}
    rows = [
        account
        | {
            "externalId": "A-1",
            "accountType": "TAX_BUCKET",
            "name": "Tax",
            "taxSettings.isAutoSaveEnabled": "TRUE",
            "taxSettings.autoSetAsidePercent": "12.5",
        },
        account | {"externalId": "A-2", "accountType": "MAIN_ACCOUNT", "name": "Main"},
    ]

    outcomes = take(write(rows, names=list(rows[0])), "accounts")

    assert [one["result"] for one in outcomes] == ["created", "created"]
    bucket = Account.objects.get(account_type="TAX_BUCKET").tax_bucket
    assert (bucket.is_auto_save_enabled, str(bucket.auto_set_aside_percent)) == (True, "12.50")


def test_a_file_of_excel_is_read(take):
    """With a byte order mark, semicolons, rows without their last cells, and blank rows."""
    content = write([ROW], delimiter=";").rstrip() + b";;;\r\n;;;;;;\r\n\r\n"
    header, row = content.split(b"\r\n", 1)
    content = b"\xef\xbb\xbf" + header + b";website;;\r\n" + row

    assert [one["result"] for one in take(content)] == ["created"]


def test_leading_zeros_are_kept():
    row = {"externalId": "0012", "version": "1", "last4": "0042", "accountName": '="0007"'}

    (line,) = read(write([row]), "linked-accounts")

    assert line["externalId"] == "0012"
    assert line["data"] == {"last4": "0042", "accountName": "0007"}


@pytest.mark.parametrize("number", ["1.23457E+17", "1,23457E+17", "1E+17"])
def test_a_long_number_that_a_spreadsheet_has_shortened_is_refused(take, number):
    by_id = take(write([ROW | {"externalId": number}]))
    by_field = take(write([ROW | {"phoneNumber": number}]))

    assert faults(by_id[0])[0][:2] == (2, "externalId")
    assert faults(by_field[0])[0][:2] == (2, "phoneNumber")
    assert not Business.objects.exists()


def test_faults_name_row_and_column(take):
    rows = [
        ROW,
        ROW | {"externalId": "B-2", "createdAt": "1/2/2026", "businessType": "CASTLE"},
        {"externalId": "B-3", "version": "1", "legalName": "A name\nof two lines"},
        {"externalId": "B-4", "version": "one"},
    ]

    first, second, third, fourth = take(write(rows, names=list(ROW)))

    assert first["result"] == "created"
    assert {one[:2] for one in faults(second)} == {(3, "createdAt"), (3, "businessType")}
    assert (4, "legalName", "This has control characters.") in faults(third)
    assert (4, "email", "This field is required.") in faults(third)
    assert {one[1].partition(".")[0] for one in faults(fourth)} == {"version"}


def test_values_of_another_type_are_refused_in_their_column(take):
    take(write([ROW]))
    row = {
        "externalId": "I-1",
        "version": "1",
        "business": "B-1",
        "lines": "[{",
        "paidCents": "1.5",
    }
    item = {"externalId": "S-1", "version": "1", "business": "B-1", "unitPriceCents": "12,50"}

    invoice = faults(take(write([row]), "invoices")[0])
    price = faults(take(write([item]), "service-items")[0])

    assert (2, "lines", "Input should be a valid array.") in invoice
    assert (2, "paidCents", "Input should be a valid integer.") in invoice
    assert (2, "unitPriceCents", "Input should be a valid integer.") in price


def test_a_fault_in_a_list_names_the_column_and_the_place(take):
    row = {"externalId": "I-1", "version": "1", "business": "B-1", "lines": '[{"quantity": 1}]'}

    invoice = faults(take(write([row]), "invoices")[0])

    assert (2, "lines.0.name", "This field is required.") in invoice


def test_a_number_of_more_digits_than_json_writers_take_is_refused(take):
    row = {"externalId": "S-1", "version": "9" * 30, "unitPriceCents": "9" * 30}

    outcome = take(write([row]), "service-items")[0]

    assert {one[1].partition(".")[0] for one in faults(outcome)} == {"version"}


def test_a_cell_without_a_column_is_refused(take):
    content = write([ROW]).rstrip() + b",,more\r\n"

    (outcome,) = take(content)

    place = len(ROW) + 2
    message = "This kind of record has no such field."
    assert faults(outcome) == [(2, f"column {place}", message)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no column “externalId”"),
        (b"externalId,legalName\r\nB-1,x\r\n", "no column “version”"),
        (b"externalId,version,castle\r\n", "no column “castle”"),
        (b"externalId,version,email,email\r\n", "more than one column “email”"),
        (b'externalId,version\r\nB-1,1\r\n"B-2,1\r\n', "After row 2"),
        (b"externalId,version\r\nB-1,1\r\n" + b"x" * 200_000, "After row 2"),
        ("externalId,version,legalName\r\nB-1,1,Café\r\n".encode("cp1252"), "not in UTF-8"),
        ("externalId,version\r\n".encode("utf-16"), "not in UTF-8"),
    ],
)
def test_a_file_that_is_no_csv_of_its_kind_is_refused(content, reason):
    with pytest.raises(Unreadable, match=reason):
        read(content)


def test_a_line_is_bounded(settings):
    settings.FEED_LINE_MAX_BYTES = 100

    with pytest.raises(Unreadable, match="line of more than 100 bytes"):
        read(write([{"externalId": "B-1", "version": "x" * 200}]))


def test_reading_goes_on_after_a_byte():
    content = write([ROW | {"externalId": f"B-{number}"} for number in range(4)])
    rows = list(read_rows(io.BytesIO(content), "businesses"))

    rest = list(csv_files.read_rows(io.BytesIO(content), "businesses", after=rows[1].end))

    assert rest == rows[2:]
    assert [row.number for row in rest] == [4, 5]
    assert rest[-1].end == len(content)
