"""Every kind of record: a line of each is taken, read back, and unchanged when sent again."""

import base64

import orjson
import pytest

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.queries.ledger import find_differences
from tests.banking.feed.conftest import BILL, BUSINESS
from tests.banking.feed.kinds.test_accountants import ACCESS, BOOKS, REFERRAL
from tests.banking.feed.kinds.test_bill_attachments import FILE
from tests.banking.feed.kinds.test_bills import PAYMENT
from tests.banking.feed.kinds.test_invoices import INVOICE
from tests.banking.feed.kinds.test_plans import ON, PLAN
from tests.banking.feed.kinds.test_receipts import RECEIPT
from tests.banking.feed.kinds.test_terms import ACCEPTED, TERMS
from tests.banking.feed.kinds.test_users import ADA, OWNER
from tests.banking.feed.test_batches import ADDRESS, results

OPENED = "2026-01-02T10:00:00Z"
PLACE = {"line1": "1 Main Street", "city": "Austin", "state": "TX", "postalCode": "78701"}
ACCOUNT = {"business": "B-1", "openedAt": OPENED}
RECORDS = [  # in the order of their references
    ("businesses", "B-1", BUSINESS),
    ("owners", "O-1", OWNER),
    ("addresses", "D-1", ADDRESS | {"business": "B-1"}),
    (
        "duns-registrations",
        "DN-1",
        {
            "business": "B-1",
            "number": "123456789",
            "status": "REGISTERED",
            "registeredName": "Harbor Bakery",
            "registeredDate": "2026-01-20",
            **PLACE,
        },
    ),
    ("users", "U-1", ADA),
    ("users", "U-2", BOOKS),
    (
        "accountants",
        "N-1",
        {"user": "U-2", "firmName": "Oaks CPA", "partnerReferralCode": "OAKS"},
    ),
    ("client-accesses", "X-1", ACCESS),
    ("referrals", "R-1", REFERRAL),
    ("terms", "TS-1", TERMS),
    ("terms-acceptances", "TA-1", ACCEPTED | {"acceptedBy": "U-1"}),
    ("plans", "P-1", PLAN),
    ("subscriptions", "SB-1", ON),
    ("accounts", "A-1", ACCOUNT | {"accountType": "MAIN_ACCOUNT", "name": "Checking"}),
    ("accounts", "A-2", ACCOUNT | {"accountType": "TAX_BUCKET", "name": "Taxes"}),
    (
        "linked-accounts",
        "K-1",
        {
            "business": "B-1",
            "institutionName": "Other Bank",
            "accountName": "Savings",
            "last4": "4321",
            "accountType": "SAVINGS",
            "connectionStatus": "CONNECTED",
            "lastSyncedAt": OPENED,
        },
    ),
    (
        "cards",
        "C-1",
        {
            "account": "A-1",
            "productType": "DEBIT_PHYSICAL",
            "cardholderName": "Ada Reyes",
            "last4": "1234",
            "network": "VISA",
            "status": "ACTIVE",
            "createdAt": OPENED,
        },
    ),
    ("secured-cards", "SC-1", {"business": "B-1", "enrollmentStatus": "NOT_ENROLLED"}),
    ("merchants", "M-1", {"name": "Corner Store", "mcc": "5411"}),
    ("locations", "LO-1", {"key": "austin-1", "latitude": 30.25, "longitude": -97.75, **PLACE}),
    ("service-items", "SI-1", {"business": "B-1", "name": "Bread", "unitPriceCents": 700}),
    (
        "transactions",
        "T-1",
        {
            "account": "A-1",
            "transactionType": "PURCHASE",
            "status": "POSTED",
            "amountCents": -1250,
            "occurredAt": "2026-02-10T15:00:00Z",
            "merchant": "M-1",
            "location": "LO-1",
            "card": "C-1",
        },
    ),
    (
        "transfers",
        "TR-1",
        {
            "entries": [
                {"account": "A-1", "amountCents": -5000},
                {"account": "A-2", "amountCents": 5000},
            ],
            "occurredAt": "2026-02-10T15:00:00Z",
        },
    ),
    ("receipts", "RC-1", RECEIPT),
    ("invoices", "I-1", INVOICE),
    ("suppliers", "S-1", {"business": "B-1", "name": "Mill Co", "createdAt": OPENED, **PLACE}),
    (
        "payees",
        "PY-1",
        {
            "supplier": "S-1",
            "method": "ACH",
            "payeeName": "Mill Co",
            "routingNumber": "021000021",
            "accountNumber": "000123456",
        },
    ),
    ("bills", "L-1", BILL),
    ("bill-payments", "BP-1", PAYMENT),
    ("bill-attachments", "F-1", FILE),
    (
        "payment-rules",
        "ACH",
        {
            "method": "ACH",
            "feeCents": 25,
            "perPaymentLimitCents": 1_000_000,
            "dailyLimitCents": 2_000_000,
            "businessDays": 2,
            "cutoffHour": 20,
        },
    ),
    ("statements", "Z-1", {"account": "A-1", "year": 2026, "month": 1}),
]
MASKED = {"accounts": "accountNumber", "payees": "accountNumber", "bill-attachments": "content"}


@pytest.fixture
def filled(feed, line):
    """One line of each kind, all taken."""
    outcomes = feed(*(line(kind, name, **data) for kind, name, data in RECORDS))
    assert [one for one in outcomes if one["result"] not in ("created", "updated")] == []


def test_each_kind_has_a_line():
    assert {kind for kind, _, _ in RECORDS} == set(KINDS)


def test_the_lines_sent_again_change_nothing(feed, line, filled):
    outcomes = feed(*(line(kind, name, 2, **data) for kind, name, data in RECORDS))

    assert results(outcomes) == ["unchanged"] * len(RECORDS)
    assert not list(find_differences())


@pytest.mark.parametrize("kind", [kind for kind in sorted(KINDS) if kind not in MASKED])
def test_the_answer_to_a_reader_can_be_sent_back(feed, line, filled, kind):
    name = next(name for one, name, _ in RECORDS if one == kind)
    data = orjson.loads(reading.find_record(KINDS[kind], name).data)

    assert results(feed(line(kind, name, 2, **data)))[0] in ("unchanged", "updated")
    assert orjson.loads(reading.find_record(KINDS[kind], name).data) == data


@pytest.mark.parametrize("kind", MASKED)
def test_masked_values_are_not_read_back(filled, kind):
    name, sent = next((name, data) for one, name, data in RECORDS if one == kind)
    stored = reading.find_record(KINDS[kind], name).data

    if hidden := sent.get(MASKED[kind]):
        assert hidden.encode() not in stored
        assert base64.b64encode(b"%PDF") not in stored


ODD = [
    None,
    "",
    " ",
    "x" * 300,
    "\u0000",
    "\ud7ff\u202e",
    -1,
    0,
    2**63 - 1,
    1e300,
    1.5,
    True,
    [],
    {},
]
ODD += [[None], "1900-01-01", "2999-12-31", "1900-01-01T00:00:00Z", "2999-12-31T23:59:59-23:59"]


@pytest.mark.parametrize(("kind", "name", "data"), RECORDS, ids=[kind for kind, _, _ in RECORDS])
def test_odd_values_get_an_outcome(feed, line, filled, kind, name, data):
    versions = iter(range(2, 10_000))

    for field in KINDS[kind].schema.model_json_schema()["properties"]:
        lines = [line(kind, name, next(versions), **data | {field: odd}) for odd in ODD]
        lines += [line(kind, f"new-{next(versions)}", **data | {field: odd}) for odd in ODD]
        outcomes = feed(*lines)

        assert len(outcomes) == len(lines)
        reading.find_record(KINDS[kind], name)
    assert not list(find_differences())
