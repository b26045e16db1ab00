"""Reversals, adjustments and holds by two clerks."""

from datetime import date

import pytest

from banking.choices import AccountType, TransactionStatus
from banking.models import Posting, Transaction
from banking.queries.filters import TransactionFilter
from banking.queries.ledger import find_differences
from banking.queries.profits import counts_as
from banking.queries.search import search_transactions
from banking.services import (
    bank_operations,
    bill_payments,
    corrections,
    ledger,
    staff_changes,
    statements,
)
from banking.services.bank_operations import MAX_CENTS
from tests.banking.demo import tying
from tests.banking.services.conftest import balances
from tests.factories import NOON, later

TEXT = {"statement_text": "Correction"}
SAID = {**TEXT, "reason": "A typing error of ours."}


@pytest.fixture
def bill(make_transaction, make_supplier, make_payee, make_bill):
    supplier = make_supplier(make_transaction(amount_cents=90_000).account.business)
    make_payee(supplier)
    return make_bill(supplier, amount_cents=60_000)


def test_a_reversal_names_the_posting_and_is_made_once(funded, operate, clerks):
    row = Transaction.objects.get()

    operate(corrections.propose_reversal, row, **TEXT)

    reversal = Posting.objects.get(reverses=row.posting)
    assert reversal.description == "Reversal: Correction"
    assert balances(funded) == (0, 0)
    assert not list(find_differences())
    with pytest.raises(bank_operations.OperationRefused, match="already reversed"):
        corrections.propose_reversal(row, **SAID, by=clerks[0], at=NOON)
    opposite = reversal.transactions.get()
    with pytest.raises(bank_operations.OperationRefused, match="itself a reversal"):
        corrections.propose_reversal(opposite, **SAID, by=clerks[0], at=NOON)


def test_a_proposal_is_void_once_the_posting_was_reversed_otherwise(funded, clerks):
    row = Transaction.objects.get()
    change = corrections.propose_reversal(row, **SAID, by=clerks[0], at=NOON)
    ledger.reverse(row.posting, at=NOON, reason="by the core")

    with pytest.raises(staff_changes.ChangeVoid):
        staff_changes.confirm(change, by=clerks[1], at=NOON)

    assert balances(funded) == (0, 0)
    assert Posting.objects.count() == 2


def test_a_reversal_of_a_transfer_undoes_both_sides(funded, make_account, operate):
    bucket = make_account(funded.business, account_type=AccountType.TAX_BUCKET)
    sides = {"source": funded, "target": bucket, "description": "Set aside"}
    posting = ledger.transfer(**sides, amount_cents=4_000, at=NOON)

    change = operate(corrections.propose_reversal, posting.transactions.first(), **TEXT)

    assert (balances(funded), balances(bucket)) == ((10_000, 10_000), (0, 0))
    business = funded.business.legal_name
    for text, account in [("Add $40.00 to", funded), ("Take $40.00 from", bucket)]:
        assert f"{text} {account.name} {account.masked_number} of {business}." in change.summary


def test_a_pending_transaction_is_not_reversed(funded, clerks, make_transaction):
    row = make_transaction(funded, -100, pending=True)

    with pytest.raises(bank_operations.OperationRefused, match="posted transaction"):
        corrections.propose_reversal(row, **SAID, by=clerks[0], at=NOON)


@pytest.mark.parametrize("amount", [2_500, -10_000])
def test_an_adjustment_posts_against_clearing(funded, operate, amount):
    change = operate(corrections.propose_adjustment, funded, amount_cents=amount, **TEXT)

    assert balances(funded) == (10_000 + amount, 10_000 + amount)
    posting = Posting.objects.get(idempotency_key=f"operation-{change.external_id}")
    assert posting.entries.get(account__business=None).account.account_type == "CLEARING"
    row = posting.transactions.get()
    assert (row.description, row.occurred_at) == ("Correction", later(hours=1))
    assert row.category_id in {"TRANSFERS_IN", "TRANSFERS_OUT"}
    assert not list(find_differences())


@pytest.mark.parametrize("amount", [0, MAX_CENTS + 1, -MAX_CENTS - 1])
def test_an_amount_out_of_its_limits_is_an_error(funded, clerks, amount):
    with pytest.raises(ValueError, match="zero, or more than"):
        corrections.propose_adjustment(funded, amount_cents=amount, **SAID, by=clerks[0], at=NOON)


def test_the_banks_own_accounts_are_not_adjusted(clerks):
    clearing = ledger.bank_account(AccountType.CLEARING)

    with pytest.raises(bank_operations.OperationRefused, match="bank's own"):
        corrections.propose_adjustment(clearing, amount_cents=1, **SAID, by=clerks[0], at=NOON)


def test_a_hold_is_placed_and_released(funded, operate):
    operate(corrections.propose_hold, funded, amount_cents=3_000, **TEXT)

    row = Transaction.objects.pending().get()
    assert balances(funded) == (10_000, 7_000)
    assert row.settles_at is None
    assert not list(find_differences())

    operate(corrections.propose_release, row)

    row.refresh_from_db()
    assert row.status == TransactionStatus.RELEASED
    assert balances(funded) == (10_000, 10_000)
    assert not list(find_differences())


def test_a_hold_is_no_transfer_and_every_place_tells_the_same_money(funded, operate):
    business, quarter = funded.business, (date(2026, 1, 1), date(2026, 4, 1))

    def told():
        rows = tying.read_csv(business)
        tying.require_parts_that_add_up(business, quarter[0])
        tying.require_a_search_with_the_same_sums(business, rows, *quarter)
        tying.require_a_quarter_of_its_own_days(business, rows, *quarter)
        tying.require_statements_of_what_settled(business, rows)
        assert not list(find_differences())
        filters = TransactionFilter(start_date=quarter[0], end_date=date(2026, 3, 31))
        found = search_transactions(business, filters, page=1, page_size=10)
        of_each = {row.category_code: row.status for row in found.transactions}
        return found.total_count, found.total_amount_cents, of_each

    before = told()
    operate(corrections.propose_hold, funded, amount_cents=3_000, **TEXT)

    assert told() == (2, 7_000, before[2] | {"HOLD": "PENDING"})
    assert counts_as("HOLD", "EXPENSE") == ""

    operate(corrections.propose_release, Transaction.objects.pending().get())
    list(statements.close_months(through=date(2026, 3, 31), at=later(days=40)))

    assert told() == before == (1, 10_000, before[2])
    statement = business.statements.get(year=2026, month=3)
    assert (statement.in_cents, statement.out_cents) == (10_000, 0)


def test_a_hold_is_of_a_positive_amount(funded, clerks):
    with pytest.raises(ValueError, match="positive"):
        corrections.propose_hold(funded, amount_cents=-1, **SAID, by=clerks[0], at=NOON)


def test_the_hold_of_a_payment_is_not_released(sent, clerks):
    with pytest.raises(bank_operations.OperationRefused, match="bill's payment"):
        corrections.propose_release(sent.transaction, reason="Asked.", by=clerks[0], at=NOON)


def test_the_payment_of_a_bill_is_not_reversed(sent, clerks):
    row = bill_payments.settle_payment(sent, at=NOON).transaction
    row.refresh_from_db()

    with pytest.raises(bank_operations.OperationRefused, match="payment of an invoice or a bill"):
        corrections.propose_reversal(row, **SAID, by=clerks[0], at=NOON)
