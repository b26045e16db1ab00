import threading
from datetime import date, datetime, timedelta, timezone

import pytest
from django.db import IntegrityError, connection, transaction

from banking.choices import AccountStatus, AccountType, TransactionType
from banking.models import Account, Entry, Posting, Transaction
from banking.queries.ledger import find_differences
from banking.services import holds, ledger
from banking.services.balances import lock_accounts
from tests.banking.services.conftest import balances
from tests.factories import NOON, draft_transaction, later


@pytest.fixture
def account(make_account):
    return make_account()


def test_a_posting_balances_against_clearing(account):
    posting = ledger.post(draft_transaction(account, 2_500), at=NOON)

    entries = dict(posting.entries.values_list("account__account_type", "amount_cents"))
    assert entries == {"MAIN_ACCOUNT": 2_500, "CLEARING": -2_500}
    assert balances(account) == (2_500, 2_500)
    assert not list(find_differences())


def test_a_fee_is_income_of_the_bank(funded):
    fee = draft_transaction(funded, -300, transaction_type=TransactionType.FEE)

    posting = ledger.post(fee, at=NOON)

    assert posting.entries.get(account__business=None).account.account_type == "FEE_INCOME"


def test_a_transfer_moves_money_within_a_business(funded, make_account):
    bucket = make_account(funded.business, account_type=AccountType.TAX_BUCKET)

    posting = ledger.transfer(
        source=funded, target=bucket, amount_cents=4_000, at=NOON, description="Set aside"
    )

    assert (balances(funded), balances(bucket)) == ((6_000, 6_000), (4_000, 4_000))
    assert posting.transactions.count() == posting.entries.count() == 2
    assert not list(find_differences())


def test_a_transfer_between_businesses_is_refused(funded, account):
    with pytest.raises(ValueError, match="one business"):
        ledger.transfer(
            source=funded, target=account, amount_cents=1, at=NOON, description="Not ours"
        )


def test_an_idempotency_key_posts_once(account):
    first = ledger.post(draft_transaction(account, 100), at=NOON, idempotency_key="payroll-7")

    second = ledger.post(draft_transaction(account, 100), at=NOON, idempotency_key="payroll-7")

    assert first == second
    assert balances(account) == (100, 100)


def test_a_key_names_one_posting(account, make_account):
    ledger.post(draft_transaction(account, 100), at=NOON, idempotency_key="payroll-7")

    for other in [draft_transaction(account, 101), draft_transaction(make_account(), 100)]:
        with pytest.raises(ledger.KeyReused):
            ledger.post(other, at=NOON, idempotency_key="payroll-7")


def test_a_key_is_known_after_the_account_closed(account):
    made = ledger.post(draft_transaction(account, 100), at=NOON, idempotency_key="payroll-7")
    ledger.post(draft_transaction(account, -100), at=NOON)
    Account.objects.filter(pk=account.pk).update(status=AccountStatus.CLOSED, closed_at=NOON)

    again = ledger.post(draft_transaction(account, 100), at=NOON, idempotency_key="payroll-7")

    assert again == made


def test_two_transactions_on_one_account_are_two_postings(account):
    rows = [draft_transaction(account, 100), draft_transaction(account, 200)]

    with pytest.raises(ValueError, match="at most one"):
        ledger.post(*rows, at=NOON)


def test_nothing_is_posted_before_the_account_opened(make_account):
    account = make_account(opened_at=NOON)

    with pytest.raises(ledger.BeforeOpening):
        ledger.post(draft_transaction(account, 100), at=later(days=-1))


def test_a_payment_is_not_reversed_behind_its_invoice(make_invoice, make_transaction):
    row = make_transaction(amount_cents=1_000)
    make_invoice(row.business, payment=row)

    with pytest.raises(ledger.CountedAsPayment):
        ledger.reverse(row.posting, at=NOON, reason="wrong")


def test_eight_posters_under_one_key_post_once(make_account, in_threads):
    account = make_account()

    made = in_threads(
        lambda _: ledger.post(
            draft_transaction(Account(pk=account.pk), 100), at=NOON, idempotency_key="payroll-7"
        ),
        range(8),
    )

    assert len(set(made)) == 1
    assert balances(account) == (100, 100)


def test_a_reversal_undoes_a_posting_and_keeps_it(funded):
    purchase = draft_transaction(funded, -700, transaction_type=TransactionType.PURCHASE)
    posting = ledger.post(purchase, at=NOON)

    reversal = ledger.reverse(posting, at=later(days=2), reason="charged twice")

    assert balances(funded) == (10_000, 10_000)
    assert reversal.reverses == posting
    assert reversal.transactions.get().transaction_type == TransactionType.REFUND
    assert not list(find_differences())


def test_a_posting_is_reversed_once_and_a_reversal_never(funded):
    posting = ledger.post(draft_transaction(funded, -700), at=NOON)
    reversal = ledger.reverse(posting, at=NOON, reason="wrong")

    for wrong in [posting, reversal]:
        with pytest.raises(ledger.AlreadyReversed):
            ledger.reverse(wrong, at=NOON, reason="again")


def test_a_closed_month_takes_nothing(account):
    Account.objects.update(closed_through=date(2026, 3, 31))

    with pytest.raises(ledger.MonthClosed):
        ledger.post(draft_transaction(account, 100), at=NOON)

    east = timezone(timedelta(hours=5))
    with pytest.raises(ledger.MonthClosed):
        ledger.post(draft_transaction(account, 100), at=datetime(2026, 4, 1, 0, 30, tzinfo=east))

    ledger.post(draft_transaction(account, 100), at=NOON + timedelta(days=30))


def test_many_postings_are_written_as_one(account):
    rows = [draft_transaction(account, cents) for cents in range(1, 101)]
    with transaction.atomic():
        accounts = lock_accounts(rows)
        ledger.record([ledger.Draft([row], NOON) for row in rows], accounts)

    assert balances(account) == (5_050, 5_050)
    assert Posting.objects.count() == Transaction.objects.count() == 100
    assert not list(find_differences())


def test_a_posting_takes_few_statements(funded, django_assert_max_num_queries):
    with django_assert_max_num_queries(10):
        ledger.post(draft_transaction(funded, -100), at=NOON)


def test_eight_writers_neither_lose_nor_double(make_account, in_threads):
    account = make_account()

    def write(number):
        for step in range(10):
            row = draft_transaction(Account(pk=account.pk), 100 + number)
            if step % 2:
                holds.settle(holds.hold(row), at=NOON)
            else:
                ledger.post(row, at=NOON)

    failures = [failure for failure in in_threads(write, range(8)) if failure]

    assert failures == []
    assert balances(account)[0] == sum(10 * (100 + number) for number in range(8))
    assert not list(find_differences())


def test_transfers_in_both_directions_do_not_deadlock(make_account, in_threads):
    main = make_account()
    bucket = make_account(main.business, account_type=AccountType.TAX_BUCKET)
    for account in (main, bucket):
        ledger.post(draft_transaction(account, 10_000), at=NOON)

    def move(number):
        source, target = (main, bucket) if number % 2 else (bucket, main)
        for _ in range(5):
            ledger.transfer(
                source=source, target=target, amount_cents=10, at=NOON, description="Back and forth"
            )

    assert [failure for failure in in_threads(move, range(8)) if failure] == []
    assert (balances(main)[0], balances(bucket)[0]) == (10_000, 10_000)
    assert not list(find_differences())


def test_entries_that_do_not_balance_are_refused(account):
    posting = Posting(posted_at=NOON)
    clearing = ledger.bank_account(AccountType.CLEARING)
    for who, amount in [(account, 100), (clearing, -99)]:
        Entry.objects.create(posting=posting, account=who, amount_cents=amount, posted_at=NOON)

    with pytest.raises(IntegrityError, match="posting_entries_sum_to_zero"):
        posting.save(force_insert=True)


def test_entries_of_another_moment_are_refused(account):
    posting = Posting(posted_at=later(seconds=1))
    clearing = ledger.bank_account(AccountType.CLEARING)
    for who, amount in [(account, 100), (clearing, -100)]:
        Entry.objects.create(posting=posting, account=who, amount_cents=amount, posted_at=NOON)

    with pytest.raises(IntegrityError, match="posting_entries_sum_to_zero"):
        posting.save(force_insert=True)


def test_a_posting_without_entries_is_refused(db):
    with pytest.raises(IntegrityError, match="posting_entries_sum_to_zero"):
        Posting.objects.create(posted_at=NOON)


def test_nothing_is_added_to_a_posting(account):
    posting = ledger.post(draft_transaction(account, 100), at=NOON)
    other = ledger.bank_account(AccountType.FEE_INCOME)

    with pytest.raises(IntegrityError, match="entry_posting_is_sealed"):
        Entry.objects.create(posting=posting, account=other, amount_cents=5, posted_at=NOON)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_an_entry_that_another_transaction_slips_in_is_refused(make_account, in_threads):
    account, other = make_account(), ledger.bank_account(AccountType.FEE_INCOME)
    posting = Posting(posted_at=NOON)
    clearing = ledger.bank_account(AccountType.CLEARING)
    entered, posted = threading.Event(), threading.Event()

    def enter(who, amount):
        Entry.objects.create(posting=posting, account=who, amount_cents=amount, posted_at=NOON)

    def post(_):
        with transaction.atomic():
            enter(account, 100)
            enter(clearing, -100)
            posting.save(force_insert=True)
            entered.wait(10)
        posted.set()

    def slip_in(_):
        with transaction.atomic():
            enter(other, 5)
            entered.set()
            posted.wait(10)

    outcomes = in_threads(lambda act: act(None), [post, slip_in])

    assert isinstance(outcomes[1], IntegrityError)
    assert "posting_entries_sum_to_zero" in str(outcomes[1])
    assert sum(Entry.objects.values_list("amount_cents", flat=True)) == 0
