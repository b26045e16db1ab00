"""Transfers of the feed: balanced, within one business, reversed once."""

from uuid import uuid4

import pytest

from banking.models import Account, Posting, Transaction
from banking.queries.ledger import find_differences
from tests.banking.feed.kinds.test_bills import SETTLED
from tests.banking.feed.kinds.test_transactions import LATER
from tests.banking.feed.test_batches import codes, results

MOVED = {
    "entries": [
        {"account": "A-1", "amountCents": -5000},
        {"account": "A-2", "amountCents": 5000},
    ],
    "occurredAt": "2026-02-10T15:00:00Z",
    "description": "Set aside",
}


@pytest.fixture
def send(feed, line, books):
    """Return a function that sends versions of one transfer and returns the outcomes."""

    def take(*changes):
        lines = [
            line("transfers", "X-1", version, **MOVED | change)
            for version, change in enumerate(changes, 1)
        ]
        outcomes = feed(*lines)
        assert list(find_differences()) == []
        return outcomes

    return take


def balances():
    ours = Account.objects.filter(business__isnull=False).order_by("pk")
    return list(ours.values_list("current_cents", flat=True))


def test_a_transfer_is_one_posting_of_two_transactions(send):
    assert results(send({}, {})) == ["created", "unchanged"]

    assert balances() == [-5000, 5000, 0]
    assert Transaction.objects.values("posting").distinct().count() == 1
    assert set(Transaction.objects.values_list("category_id", flat=True)) == {
        "TRANSFERS_IN",
        "TRANSFERS_OUT",
    }


def test_a_transfer_is_reversed_once(send):
    back = {"status": "REVERSED", "reversedAt": LATER}

    assert results(send({}, back, back, {})) == ["created", "updated", "unchanged", "refused"]
    assert balances() == [0, 0, 0]


@pytest.mark.parametrize(
    ("reversed_at", "faults"),
    [
        (None, [("FIELD_MISSING", "/data/reversedAt")]),
        ("2026-03-03T00:00:00Z", [("VALUE_REFUSED", "/data/reversedAt")] * 2),  # in the future
        ("2026-01-01T00:00:00Z", [("VALUE_REFUSED", "/data/reversedAt")] * 2),  # before the opening
    ],
)
def test_a_new_transfer_is_not_posted_if_its_reversal_is_refused(send, reversed_at, faults):
    back = {"status": "REVERSED", "reversedAt": reversed_at}

    assert codes(send(back)[0]) == faults
    assert not Posting.objects.exists()

    assert results(send(back | {"reversedAt": LATER})) == ["created"]
    assert balances() == [0, 0, 0]
    assert Posting.objects.count() == 2


def test_a_transfer_that_is_a_payment_of_a_bill_is_not_reversed(feed, line, refusals, supplies):
    paid = str(uuid4())
    entries = [MOVED["entries"][0] | {"id": paid}, MOVED["entries"][1]]
    payment = SETTLED | {"transaction": paid}
    sent = line("transfers", "X-1", **MOVED | {"entries": entries})
    assert results(feed(sent, line("bill-payments", "BP-1", **payment))) == ["created"] * 2

    back = line("transfers", "X-1", 2, **sent["data"], status="REVERSED", reversedAt=LATER)

    assert refusals(back) == [("VALUE_REFUSED", "/data/status")]
    assert balances() == [-5000, 5000, 0]


def test_a_posted_transfer_keeps_its_text_and_a_reversal_may_have_another(send):
    other = {"description": "Corrected"}
    back = {"status": "REVERSED", "reversedAt": LATER}

    assert results(send({}, other, other | back)) == ["created", "refused", "updated"]
    assert balances() == [0, 0, 0]


@pytest.mark.parametrize(
    ("entries", "field"),
    [
        ([("A-1", -5000), ("A-2", 4999)], "/data/entries"),
        ([("A-1", 0), ("A-2", 0)], "/data/entries"),
        ([("A-1", -5000), ("A-1", 5000)], "/data/entries"),
        ([("A-1", -5000), ("A-9", 5000)], "/data/entries/1/account"),
    ],
)
def test_a_wrong_transfer_is_refused(send, entries, field):
    parts = [{"account": account, "amountCents": cents} for account, cents in entries]

    (outcome,) = send({"entries": parts})

    assert codes(outcome) == [("VALUE_REFUSED", field)]
    assert balances() == [0, 0, 0]


def test_a_missing_account_is_named_with_its_entry(send):
    parts = [MOVED["entries"][0], {"account": "A-none", "amountCents": 5000}]

    assert codes(send({"entries": parts})[0]) == [("REFERENCE_MISSING", "/data/entries/1/account")]


def test_the_entries_of_a_posted_transfer_stay(send):
    more = [dict(part, amountCents=part["amountCents"] * 2) for part in MOVED["entries"]]

    outcomes = send({}, {"entries": more})

    assert codes(outcomes[1]) == [("VALUE_REFUSED", None)]
    assert balances() == [-5000, 5000, 0]


def test_a_transfer_is_not_removed(feed, send):
    send({})

    (outcome,) = feed({"kind": "transfers", "externalId": "X-1", "version": 2, "removed": True})

    assert codes(outcome) == [("NOT_REMOVABLE", None)]
