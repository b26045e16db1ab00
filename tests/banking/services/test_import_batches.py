from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from banking.choices import AccountType, TransactionStatus, TransactionType
from banking.models import Account, Merchant, Posting, Transaction
from banking.queries.ledger import find_differences
from banking.services import holds, imports
from banking.services.import_batches import ImportCounts
from tests.banking.services.importing import DAY, LINE, PENDING, balances, numbered, reasons, run
from tests.factories import NOON


@pytest.fixture
def account(make_account):
    return make_account()


def test_a_booked_line_is_posted(account):
    counts, faults = run(account, [LINE])

    row = Transaction.objects.get(account=account)
    assert (counts, faults) == (ImportCounts(posted=1), [])
    assert (row.status, row.amount_cents, row.source_id) == (TransactionStatus.POSTED, -500, "a")
    assert (row.occurred_at, row.settled_at) == (NOON, NOON)
    assert row.category_id == "OTHER_EXPENSE"
    assert balances(account) == (-500, 0)
    assert not list(find_differences())


def test_a_pending_line_is_held(account):
    counts, _ = run(account, [PENDING])

    assert counts == ImportCounts(held=1)
    assert Transaction.objects.get().is_pending
    assert balances(account) == (0, 500)
    assert not list(find_differences())


def test_a_booked_line_settles_the_hold_of_its_id_at_its_own_amount(account):
    run(account, [PENDING])

    counts, _ = run(account, [replace(LINE, amount_cents=-550)])

    row = Transaction.objects.get()
    assert counts == ImportCounts(settled=1)
    assert (row.status, row.amount_cents) == (TransactionStatus.POSTED, -550)
    assert balances(account) == (-550, 0)
    assert not list(find_differences())


def test_a_hold_and_its_posting_in_one_file_are_one_transaction(account):
    lines = [PENDING, replace(LINE, amount_cents=-550), PENDING]

    counts, faults = run(account, lines)

    assert (counts, faults) == (ImportCounts(posted=1, unchanged=2), [])
    assert balances(account) == (-550, 0)


def test_a_hold_that_was_let_go_is_posted_when_the_bank_books_it(account):
    run(account, [PENDING])
    holds.release(Transaction.objects.get())

    counts, _ = run(account, [replace(LINE, transaction_type=TransactionType.PURCHASE)])

    assert counts == ImportCounts(settled=1)
    assert balances(account) == (-500, 0)
    assert not list(find_differences())


def test_a_settled_line_again_changes_nothing_however_long_ago_it_was_held(account):
    run(account, [PENDING])
    booked = replace(
        LINE, occurred_at=NOON + timedelta(days=12), settled_date=DAY + timedelta(days=12)
    )
    run(account, [booked], at=NOON + timedelta(days=20))

    counts, faults = run(account, [booked, PENDING], at=NOON + timedelta(days=20))

    assert (counts, faults) == (ImportCounts(unchanged=2), [])


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (replace(LINE, amount_cents=-501), "has the id of a transaction with another amount"),
        (
            replace(LINE, settled_date=DAY - timedelta(days=8)),
            f"has the id of a transaction of {DAY}",
        ),
    ],
)
@pytest.mark.parametrize("size", [1, 10])
def test_an_id_that_another_transaction_has_is_refused(account, monkeypatch, other, reason, size):
    monkeypatch.setattr(imports, "BATCH_SIZE", size)

    assert reasons(account, LINE, other) == [reason]
    assert balances(account) == (-500, 0)


def test_a_date_that_the_bank_moved_by_days_is_the_same_transaction(account):
    moved = replace(LINE, settled_date=DAY - timedelta(days=3))

    assert run(account, [LINE, moved])[0] == ImportCounts(posted=1, unchanged=1)


def test_a_hold_of_another_amount_under_an_id_is_refused(account):
    other = replace(PENDING, amount_cents=-900)

    assert reasons(account, PENDING, other) == ["has the id of a transaction with another amount"]
    assert reasons(account, other) == ["has the id of a transaction with another amount"]
    assert balances(account) == (0, 500)


def test_the_category_is_that_of_the_file_or_follows_from_the_type(account):
    kinds = [
        (TransactionType.FEE, -1, "", "BANK_FEES"),
        (TransactionType.ATM, -1, "", "CASH_WITHDRAWAL"),
        (TransactionType.FEE, 1, "", "BANK_FEES"),
        (TransactionType.ATM, 1, "", "CASH_WITHDRAWAL"),
        (TransactionType.REFUND, 1, "", "REFUNDS"),
        (TransactionType.REFUND, -1, "", "SALES"),
        (TransactionType.FUND_TRANSFER, 1, "", "OTHER_INCOME"),
        (TransactionType.PURCHASE, -1, "MEALS", "MEALS"),
    ]
    lines = [
        replace(line, transaction_type=kind, amount_cents=amount, category=category)
        for line, (kind, amount, category, _) in zip(numbered(8), kinds, strict=True)
    ]

    run(account, lines)

    found = Transaction.objects.order_by("pk").values_list("category", flat=True)
    assert list(found) == [category for *_, category in kinds]


def test_a_category_that_is_none_of_ours_is_refused(account):
    line = replace(LINE, category="Groceries")

    assert reasons(account, line) == ["has the category 'Groceries', which is none of ours"]


def test_a_fee_is_income_of_the_bank(account):
    run(account, [replace(LINE, transaction_type=TransactionType.FEE)])

    entry = Posting.objects.get().entries.get(account__business=None)
    assert entry.account.account_type == AccountType.FEE_INCOME


def test_the_settled_date_is_kept_whatever_the_time_of_the_day(account):
    late = datetime(2026, 1, 2, 4, tzinfo=UTC)  # still the first, in New York
    lines = [
        replace(LINE, external_id="a", occurred_at=late, settled_date=date(2026, 1, 1)),
        replace(LINE, external_id="b", occurred_at=late, settled_date=date(2026, 1, 2)),
        replace(LINE, external_id="c", occurred_at=late, settled_date=date(2026, 1, 5)),
    ]

    run(account, lines)

    dates = [row.settlement_date for row in Transaction.objects.order_by("source_id")]
    assert dates == [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 5)]


@pytest.mark.parametrize("line", [LINE, PENDING])
def test_the_future_is_refused(account, line):
    yesterday = NOON - timedelta(days=1)

    assert reasons(account, line, at=yesterday) == [f"lies in the future, on {DAY}"]


def test_a_month_that_has_its_statement_takes_no_posting(account):
    Account.objects.filter(pk=account.pk).update(closed_through=DAY)

    assert reasons(account, LINE, PENDING) == [
        f"is of {DAY}, and the account is closed through {DAY}"
    ]


def test_lines_of_a_closed_month_that_are_there_change_nothing(account):
    run(account, [LINE, replace(PENDING, external_id="b")])
    Account.objects.filter(pk=account.pk).update(closed_through=DAY)

    counts, faults = run(account, [LINE, replace(PENDING, external_id="b")])

    assert (counts, faults) == (ImportCounts(unchanged=2), [])
    assert reasons(account, replace(LINE, external_id="b")) == [
        f"is of {DAY}, and the account is closed through {DAY}"
    ]


def test_an_account_without_the_money_is_overdrawn_as_the_bank_says(account):
    run(account, [replace(LINE, amount_cents=-1_000_000)])

    assert balances(account) == (-1_000_000, 0)


def test_a_line_from_before_the_opening_is_refused(make_account):
    account = make_account(opened_at=NOON)
    early = replace(LINE, settled_date=DAY - timedelta(days=1))

    assert reasons(account, early, replace(LINE, external_id="b")) == [
        "is of 2026-03-01, and the account was opened on 2026-03-02"
    ]
    assert balances(account) == (-500, 0)


@pytest.mark.parametrize(
    ("amount_cents", "reason"),
    [(500, "settles a transaction that goes the other way"), (0, "has an amount of zero")],
)
@pytest.mark.parametrize("size", [1, 10])
def test_a_hold_is_not_settled_with_nothing_or_the_other_way(
    account, monkeypatch, amount_cents, reason, size
):
    monkeypatch.setattr(imports, "BATCH_SIZE", size)

    assert reasons(account, PENDING, replace(LINE, amount_cents=amount_cents)) == [reason]
    assert balances(account) == (0, 500)
    assert not list(find_differences())


def test_an_amount_of_zero_is_refused(account):
    assert reasons(account, replace(LINE, amount_cents=0)) == ["has an amount of zero"]


def test_a_merchant_with_an_mcc_is_known_from_then_on(account):
    lines = [
        replace(line, merchant_name=name, mcc=mcc)
        for line, (name, mcc) in zip(
            numbered(4), [("Cafe", "5812"), ("Cafe", "5812"), ("Cafe", "5814"), ("Kiosk", "")],
            strict=True,
        )
    ]  # fmt: skip

    run(account, lines)

    merchants = [row.merchant for row in Transaction.objects.order_by("pk")]
    assert Merchant.objects.count() == 2
    assert merchants[0] == merchants[1] != merchants[2]
    assert merchants[3] is None
    assert Transaction.objects.latest("pk").merchant_name == "Kiosk"
