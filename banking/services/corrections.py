"""Corrections by staff: reversals, adjustments, and holds that are placed and released."""

from datetime import datetime
from typing import Any

from banking.choices import TransactionType
from banking.models import Account, BillPayment, Posting, StaffChange, Transaction, User
from banking.money import usd_text
from banking.services import bank_operations, holds, ledger
from banking.services.bank_operations import MAX_CENTS, OperationRefused
from banking.services.staff_changes import Kind

NOT_POSTED = "Only a posted transaction can be reversed."
OF_A_PAYMENT = "This is the hold of a bill's payment, which ends with the payment."


def propose_reversal(
    row: Transaction, *, statement_text: str, reason: str, by: User, at: datetime
) -> StaffChange:
    """Propose to reverse the posting of a transaction, and so all transactions of the posting.

    `statement_text` is the text that customers read. Raises: AlreadyProposed, AccountTooNew;
    OperationRefused if the transaction is not posted, or the ledger refuses the reversal.
    """
    posting = row.posting
    if posting is None:
        raise OperationRefused(NOT_POSTED)
    parts = posting.transactions.select_related("account__business").order_by("account_id")
    summary = [
        f"{_change_text(-one.amount_cents)} {bank_operations.name_of(one.account)}."
        for one in parts
    ]
    return bank_operations.propose(
        REVERSAL,
        row,
        summary=[
            f"Reverse posting {posting.pk}.",
            *summary,
            f"Customers read: Reversal: {statement_text}",
        ],
        reason=reason,
        by=by,
        at=at,
        posting=str(posting.pk),
        statement_text=statement_text,
    )


def propose_adjustment(
    account: Account,
    *,
    amount_cents: int,
    statement_text: str,
    reason: str,
    by: User,
    at: datetime,
) -> StaffChange:
    """Propose a correcting posting between an account and the bank's clearing account.

    Units: cents, negative if the money leaves the account. `statement_text` is the text that
    customers read. Raises: AlreadyProposed, OperationRefused, AccountTooNew; ValueError for zero,
    or more than MAX_CENTS.
    """
    return _propose_amount(
        ADJUSTMENT,
        account,
        f"{_change_text(amount_cents)} {bank_operations.name_of(account)}.",
        amount_cents=amount_cents,
        statement_text=statement_text,
        reason=reason,
        by=by,
        at=at,
    )


def propose_hold(
    account: Account,
    *,
    amount_cents: int,
    statement_text: str,
    reason: str,
    by: User,
    at: datetime,
) -> StaffChange:
    """Propose to hold an amount until staff release the hold.

    `statement_text` is the text that customers read. Raises: AlreadyProposed, OperationRefused,
    AccountTooNew; ValueError for an amount that is not positive, or more than MAX_CENTS.
    """
    if amount_cents < 0:
        raise ValueError("A hold has a positive amount.")
    return _propose_amount(
        HOLD,
        account,
        f"Hold {usd_text(amount_cents)} of {bank_operations.name_of(account)}.",
        amount_cents=amount_cents,
        statement_text=statement_text,
        reason=reason,
        by=by,
        at=at,
    )


def propose_release(row: Transaction, *, reason: str, by: User, at: datetime) -> StaffChange:
    """Propose to release a pending transaction, whose held amount becomes available again.

    Raises: AlreadyProposed, AccountTooNew; OperationRefused if the transaction is not pending, or
    is the hold of a bill's payment.
    """
    text = row.merchant_raw_name or row.description or row.get_transaction_type_display()
    account = row.account
    return bank_operations.propose(
        RELEASE,
        row,
        summary=[
            f"Release the hold of {usd_text(abs(row.amount_cents))} on "
            f"{bank_operations.name_of(account)}.",
            f"Transaction: {text}",
        ],
        reason=reason,
        by=by,
        at=at,
    )


def _change_text(amount_cents: int) -> str:
    amount = usd_text(abs(amount_cents))
    return f"Add {amount} to" if amount_cents > 0 else f"Take {amount} from"


def _propose_amount(
    kind: Kind, account: Account, text: str, *, amount_cents: int, statement_text: str, **said: Any
) -> StaffChange:
    """Propose an operation with an amount on a customer's account; `text` begins its summary."""
    if not 0 < abs(amount_cents) <= MAX_CENTS:
        raise ValueError(f"The amount is zero, or more than {MAX_CENTS} cents.")
    return bank_operations.propose(
        kind,
        bank_operations.require_customer(account),
        summary=[text, f"Customers read: {statement_text}"],
        amount_cents=amount_cents,
        statement_text=statement_text,
        **said,
    )


def _transaction_of(change: StaffChange) -> Transaction:
    return Transaction.objects.get(pk=change.payload["row"])


def _basis_of_row(change: StaffChange) -> Any:
    """Return status, amount and posting of the transaction, and whether that was reversed."""
    row = _transaction_of(change)
    is_reversed = Posting.objects.filter(reverses=row.posting_id).exclude(reverses=None).exists()
    return [row.status, row.amount_cents, str(row.posting_id or ""), is_reversed]


def _reverse(change: StaffChange) -> None:
    posting = Posting.objects.get(pk=change.payload["posting"])
    ledger.reverse(
        posting,
        at=bank_operations.time_of(change),
        reason=change.payload["statement_text"],
        by=change.settled_by,
    )


def _adjust(change: StaffChange) -> None:
    at = bank_operations.time_of(change)
    amount_cents = change.payload["amount_cents"]
    category = "TRANSFERS_IN" if amount_cents > 0 else "TRANSFERS_OUT"
    row = _make_transaction(change, amount_cents, category, at=at)
    key = f"operation-{change.external_id}"
    ledger.post(row, at=at, by=change.settled_by, idempotency_key=key)


def _hold(change: StaffChange) -> None:
    at = bank_operations.time_of(change)
    holds.hold(_make_transaction(change, -change.payload["amount_cents"], "HOLD", at=at))


def _release(change: StaffChange) -> None:
    row = _transaction_of(change)
    if BillPayment.objects.filter(transaction=row).exists():
        raise OperationRefused(OF_A_PAYMENT)
    holds.release(row)


def _make_transaction(
    change: StaffChange, amount_cents: int, category: str, *, at: datetime
) -> Transaction:
    """Return an unsaved transfer on the change's account, described by the statement text.

    The callers name a `category` that is neither income nor expense.
    """
    return Transaction(
        account=bank_operations.account_of(change),
        transaction_type=TransactionType.FUND_TRANSFER,
        amount_cents=amount_cents,
        occurred_at=at,
        category_id=category,
        description=change.payload["statement_text"],
    )


REVERSAL = bank_operations.register(
    "REVERSE_POSTING", "Reversal", basis=_basis_of_row, carry_out=_reverse, model=Transaction
)
ADJUSTMENT = bank_operations.register(
    "ADJUST_ACCOUNT",
    "Adjustment",
    basis=bank_operations.state_of_account,
    carry_out=_adjust,
    model=Account,
)
HOLD = bank_operations.register(
    "PLACE_HOLD", "Hold", basis=bank_operations.state_of_account, carry_out=_hold, model=Account
)
RELEASE = bank_operations.register(
    "RELEASE_HOLD", "Release of a hold", basis=_basis_of_row, carry_out=_release, model=Transaction
)
