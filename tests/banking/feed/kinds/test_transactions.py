"""Transactions of the feed: each state, refusals, and a ledger that stays whole."""

from datetime import date
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from banking.choices import TransactionStatus
from banking.feed.kinds import transactions
from banking.models import Account, Card, Posting, Transaction, TransactionTotal
from banking.queries.ledger import find_differences
from banking.services import holds, settlement, statements
from banking.services.accounts import close_account
from tests.banking.feed.test_batches import codes, results
from tests.factories import NOON

SPENT = {
    "account": "A-1",
    "transactionType": "PURCHASE",
    "status": "POSTED",
    "amountCents": -1250,
    "occurredAt": "2026-02-10T15:00:00Z",
    "merchantName": "Corner Store",
    "mcc": "5411",
    "description": "Flour",
}
LATER = "2026-02-12T15:00:00Z"


@pytest.fixture
def send(feed, line, books):
    """Return a function that sends versions of one transaction and returns the results."""

    def take(*changes, start=1):
        lines = [
            line("transactions", "T-1", version, **SPENT | change)
            for version, change in enumerate(changes, start)
        ]
        outcomes = feed(*lines)
        assert list(find_differences()) == []
        return outcomes

    return take


def main():
    return Account.objects.filter(business__isnull=False).order_by("pk").first()


def test_a_posted_transaction_moves_the_balance_and_the_totals(send):
    assert results(send({})) == ["created"]

    row = Transaction.objects.select_related("merchant", "posting").get()
    assert main().current_cents == -1250
    assert (row.merchant.name, row.merchant.mcc, row.category_id) == (
        "Corner Store",
        "5411",
        "OTHER_EXPENSE",
    )
    assert TransactionTotal.objects.get(granularity="DAY").out_cents == 1250


def test_sent_again_it_is_unchanged(send):
    assert results(send({}, {})) == ["created", "unchanged"]
    assert main().current_cents == -1250


def test_a_pending_transaction_holds_and_settles_with_another_amount(send):
    assert results(send({"status": "PENDING"})) == ["created"]
    assert (main().current_cents, main().held_cents) == (0, 1250)

    assert results(send({"amountCents": -1300, "settledAt": LATER}, start=2)) == ["updated"]

    assert (main().current_cents, main().held_cents) == (-1300, 0)
    assert Transaction.objects.get().settled_at.isoformat() == "2026-02-12T15:00:00+00:00"


def test_a_pending_transaction_is_released(send):
    outcomes = send({"status": "PENDING"}, {"status": "RELEASED"})

    assert results(outcomes) == ["created", "updated"]
    assert Transaction.objects.get().status == TransactionStatus.RELEASED
    assert (main().current_cents, main().held_cents) == (0, 0)


def test_a_released_transaction_may_be_posted_after_all(send):
    outcomes = send({"status": "RELEASED"}, {"status": "POSTED"})

    assert results(outcomes) == ["created", "updated"]
    assert main().current_cents == -1250


@pytest.mark.parametrize("before", [[], [{}], [{"status": "PENDING"}]])
def test_a_transaction_is_reversed(send, before):
    outcomes = send(*before, {"status": "REVERSED", "reversedAt": LATER})

    assert outcomes[-1]["result"] in {"created", "updated"}
    assert main().current_cents == 0
    assert Transaction.objects.count() == 2


def test_a_reversed_transaction_stays_reversed(send):
    reversed_ = {"status": "REVERSED", "reversedAt": LATER}

    outcomes = send({}, reversed_, {}, reversed_ | {"note": "Sent back"})

    assert results(outcomes) == ["created", "updated", "refused", "updated"]
    assert codes(outcomes[2]) == [("VALUE_REFUSED", "/data/status")]
    assert Transaction.objects.filter(note="Sent back").count() == 1


@pytest.mark.parametrize(
    "reversed_at",
    [None, "2026-03-03T00:00:00Z", "2026-01-01T00:00:00Z"],
    ids=["missing", "in the future", "before the opening"],
)
def test_a_posted_transaction_is_reversed_at_a_time_that_allows_a_posting(send, reversed_at):
    outcomes = send({}, {"status": "REVERSED", "reversedAt": reversed_at})

    assert results(outcomes) == ["created", "refused"]
    assert codes(outcomes[1]) == [("VALUE_REFUSED", "/data/reversedAt")]
    assert main().current_cents == -1250


def test_a_closed_month_and_a_closed_account_refuse_a_reversal_alone(feed, line, books):
    back = {"status": "REVERSED", "reversedAt": LATER}
    refund = SPENT | {"transactionType": "REFUND", "amountCents": 1250}
    feed(line("transactions", "T-1", **SPENT), line("transactions", "T-2", **refund))
    for month in [date(2026, 1, 1), date(2026, 2, 1)]:
        statements.close_month(main(), month=month, at=NOON)

    other = line("transactions", "T-3", **SPENT | {"account": "A-2"})
    in_month = feed(line("transactions", "T-1", 2, **SPENT | back), other)
    close_account(main(), at=NOON)
    in_march = line("transactions", "T-1", 2, **SPENT | back | {"reversedAt": str(NOON)})
    (of_closed,) = feed(in_march)

    assert results(in_month) == ["refused", "created"]
    assert codes(in_month[0]) == [("VALUE_REFUSED", "/data/reversedAt")]
    assert codes(of_closed) == [("VALUE_REFUSED", None)]


@pytest.fixture
def moved(feed, line, books):
    """The UUID of the transaction by which a transfer takes money from the first account."""
    ours, theirs = uuid4(), uuid4()
    entries = [
        {"account": "A-1", "amountCents": -1250, "id": str(ours)},
        {"account": "A-2", "amountCents": 1250, "id": str(theirs)},
    ]
    transfer = line("transfers", "X-1", entries=entries, occurredAt=SPENT["occurredAt"])
    assert results(feed(transfer)) == ["created"]
    return str(ours)


def test_the_other_account_of_a_posting_may_refuse_the_reversal(refusals, line, moved):
    Account.objects.filter(name="Tax").update(closed_through=date(2026, 2, 28))
    data = SPENT | {"transactionType": "FUND_TRANSFER", "category": "TRANSFERS_OUT"}

    back = line("transactions", moved, **data | {"status": "REVERSED", "reversedAt": LATER})

    assert refusals(back) == [("VALUE_REFUSED", "/data/reversedAt")]


def test_a_reversal_is_not_reversed(send, refusals, line):
    send({}, {"status": "REVERSED", "reversedAt": LATER})
    reversal = Transaction.objects.get(posting__reverses__isnull=False)
    data = SPENT | {"transactionType": "REFUND", "amountCents": 1250, "occurredAt": LATER}

    again = line(
        "transactions",
        str(reversal.external_id),
        **data | {"status": "REVERSED", "reversedAt": LATER},
    )

    assert refusals(again) == [("VALUE_REFUSED", "/data/status")]


def test_details_change_and_totals_follow(send):
    outcomes = send({}, {"category": "MEALS", "note": "Team", "isBusiness": False, "card": "C-1"})

    assert results(outcomes) == ["created", "updated"]
    row = Transaction.objects.get()
    assert (row.category_id, row.note, row.is_business) == ("MEALS", "Team", False)
    assert row.card == Card.objects.get(account=main())


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"amountCents": -1251}, "amountCents"),
        ({"account": "A-2"}, "account"),
        ({"transactionType": "ATM"}, "transactionType"),
        ({"occurredAt": LATER}, "occurredAt"),
        ({"currency": "EUR"}, "currency"),
        ({"status": "PENDING"}, "status"),
        ({"status": "RELEASED"}, "status"),
        ({"originalAmountCents": 900, "originalCurrency": "EUR"}, "originalAmountCents"),
    ],
)
def test_money_that_was_posted_does_not_change(send, change, field):
    outcomes = send({}, change)

    assert results(outcomes) == ["created", "refused"]
    assert ("VALUE_REFUSED", f"/data/{field}") in codes(outcomes[1])
    assert main().current_cents == -1250


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"amountCents": 0}, ("VALUE_REFUSED", "/data/amountCents")),
        ({"amountCents": 12.5}, ("VALUE_REFUSED", "/data/amountCents")),
        ({"amountCents": 10**14}, ("VALUE_REFUSED", "/data/amountCents")),
        ({"currency": "EUR"}, ("VALUE_REFUSED", "/data/currency")),
        ({"occurredAt": "2026-01-01T00:00:00Z"}, ("VALUE_REFUSED", "/data/occurredAt")),
        ({"occurredAt": "2026-02-10T15:00:00"}, ("VALUE_REFUSED", "/data/occurredAt")),
        ({"settledAt": "2026-03-03T00:00:00Z"}, ("VALUE_REFUSED", "/data/settledAt")),
        ({"category": "CASTLES"}, ("VALUE_REFUSED", "/data/category")),
        ({"card": "C-9"}, ("VALUE_REFUSED", "/data/card")),
        ({"card": "C-none"}, ("REFERENCE_MISSING", "/data/card")),
        ({"originalAmountCents": 5}, ("VALUE_REFUSED", "/data/originalCurrency")),
        ({"status": "REVERSED"}, ("VALUE_REFUSED", "/data/reversedAt")),
        ({"balanceCents": 5}, ("UNKNOWN_FIELD", "/data/balanceCents")),
        ({"description": "a\u202eb\x00"}, ("VALUE_REFUSED", "/data/description")),
    ],
)
def test_a_wrong_transaction_is_refused_with_its_field(send, change, fault):
    outcomes = send(change)

    assert fault in codes(outcomes[0])
    assert not Transaction.objects.exists()


@pytest.mark.parametrize("status", ["PENDING", "POSTED", "RELEASED", "REVERSED"])
def test_a_pending_transaction_keeps_its_account(send, status):
    change = {"account": "A-2", "status": status, "reversedAt": LATER}

    outcomes = send({"status": "PENDING"}, change)

    assert results(outcomes) == ["created", "refused"]
    assert codes(outcomes[1]) == [("VALUE_REFUSED", "/data/account")]


def test_a_closed_account_and_a_closed_month_take_no_transactions(send):
    for month in [date(2026, 1, 1), date(2026, 2, 1)]:
        statements.close_month(main(), month=month, at=NOON)
    assert codes(send({})[0]) == [("VALUE_REFUSED", "/data/occurredAt")]

    close_account(main(), at=NOON)
    assert ("VALUE_REFUSED", None) in codes(send({})[0])


def test_only_a_pending_transaction_is_removed(feed, send):
    removal = {"kind": "transactions", "externalId": "T-1", "version": 2, "removed": True}

    send({"status": "PENDING"})
    assert results(feed(removal)) == ["removed"]

    assert results(send({}, start=3)) == ["created"]
    assert codes(feed(removal | {"version": 9})[0]) == [("NOT_REMOVABLE", None)]


@pytest.fixture
def due(feed, line, books):
    """The data of T-1, a pending transaction that is due; T-2 is pending beside it."""
    data = SPENT | {"transactionType": "REFUND", "amountCents": 1000, "status": "PENDING"}
    first = line("transactions", "T-1", **data, settlesAt="2026-02-11T00:00:00Z")
    assert results(feed(first, line("transactions", "T-2", **data))) == ["created"] * 2
    return data


def settle_before(function):
    """Return the function, preceded by the settlement of what is due."""

    def call(*args, **kwargs):
        assert len(list(settlement.settle_due(at=NOON))) == 1
        return function(*args, **kwargs)

    return call


def test_a_transaction_that_settles_before_its_account_is_locked_is_posted_once(
    feed, line, due, monkeypatch
):
    monkeypatch.setattr(transactions, "open_books", settle_before(transactions.open_books))

    outcomes = feed(line("transactions", "T-1", 2, **due | {"status": "POSTED"}))

    assert results(outcomes) == ["updated"]
    assert main().current_cents == 1000
    assert Posting.objects.count() == 1
    assert not list(find_differences())


def test_a_transaction_that_settles_before_it_is_removed_stays(feed, due, monkeypatch):
    monkeypatch.setattr(holds, "release", settle_before(holds.release))
    removal = {"kind": "transactions", "externalId": "T-1", "version": 2, "removed": True}

    (outcome,) = feed(removal)

    assert codes(outcome) == [("NOT_REMOVABLE", None)]
    assert main().current_cents == 1000


def test_a_fee_goes_to_the_income_of_the_bank(send):
    send({"transactionType": "FEE"})

    posting = Transaction.objects.get().posting
    assert posting.entries.get(account__business=None).account.account_type == "FEE_INCOME"


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["T-1", "T-2", "T-3"]),
        st.integers(1, 6),
        st.sampled_from(["PENDING", "POSTED", "RELEASED", "REVERSED"]),
        st.sampled_from([-1250, -990, 4000]),
        st.sampled_from(["", "MEALS"]),
    ),
    max_size=12,
)


@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(steps=STEPS, size=st.sampled_from([1, 3, 500]))
def test_any_lines_in_any_order_leave_the_ledger_whole(books, feed, line, request, steps, size):
    config = request.getfixturevalue("settings")
    config.FEED_CHUNK_LINES = size
    prefix = uuid4().hex
    lines = [
        line(
            "transactions",
            f"{prefix}{name}",
            version,
            **SPENT
            | {
                "status": status,
                "amountCents": amount,
                "category": category,
                "reversedAt": LATER if status == "REVERSED" else None,
            },
        )
        for name, version, status, amount, category in steps
    ]

    feed(*lines)
    before = list(Account.objects.order_by("pk").values_list("current_cents", "held_cents"))
    again = results(feed(*lines))

    assert list(find_differences()) == []
    assert set(again) <= {"unchanged", "stale", "refused"}
    assert before == list(Account.objects.order_by("pk").values_list("current_cents", "held_cents"))
