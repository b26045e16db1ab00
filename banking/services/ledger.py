"""Post and reverse in the ledger, each in one transaction.

A posting moves money between accounts of businesses, or between them and the bank's own accounts:
a counter account balances the transactions of a posting. Each writer locks the accounts first, in
the order of their ids, so that writers wait and never deadlock.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from banking.choices import AccountType, BillPaymentStatus, TransactionStatus, TransactionType
from banking.models import Account, BillPayment, Entry, Invoice, Posting, Transaction, User
from banking.services import balances, totals
from foundation.database.inserts import insert

SENT = [BillPaymentStatus.PROCESSING, BillPaymentStatus.SETTLED]


class MonthClosed(Exception):
    """The month has its statement already; date the posting later."""


class BeforeOpening(Exception):
    """The account was not open yet at that time."""


class KeyReused(Exception):
    """The idempotency key names another posting."""


class CountedAsPayment(Exception):
    """An invoice or a bill counts the posting as its payment."""


class AlreadyReversed(Exception):
    """The posting was reversed before, or is a reversal itself, which cannot be reversed."""


@dataclass
class Draft:
    """A posting to be written: its transactions, new or pending ones, and the counter account."""

    transactions: Sequence[Transaction]
    at: datetime
    counter: Account | None = None
    description: str = ""
    by: User | None = None
    idempotency_key: str = ""
    reverses: Posting | None = None
    posting: Posting = field(init=False)

    def __post_init__(self) -> None:
        self.posting = Posting(
            posted_at=self.at,
            description=self.description,
            posted_by=self.by,
            idempotency_key=self.idempotency_key,
            reverses=self.reverses,
        )

    def entries(self, clearing: Account) -> list[Entry]:
        """Return an unsaved entry for each transaction, and a balancing entry unless the sum is 0.

        The balancing entry is on the counter account, or on `clearing` without a counter account.
        """
        amounts = [(row.account, row.amount_cents) for row in self.transactions]
        rest = -sum(amount for _, amount in amounts)
        amounts += [(self.counter or clearing, rest)] if rest else []
        return [
            Entry(posting=self.posting, account=account, amount_cents=amount, posted_at=self.at)
            for account, amount in amounts
        ]


def bank_account(account_type: AccountType) -> Account:
    """Return an account of the bank's own."""
    return Account.objects.get(business=None, account_type=account_type)


def post(
    *rows: Transaction,
    at: datetime,
    description: str = "",
    by: User | None = None,
    idempotency_key: str = "",
    allow_overdraft: bool = False,
) -> Posting:
    """Post unsaved transactions as one posting; a used idempotency key returns its posting.

    `allow_overdraft` checks neither funds nor freeze. Raises: AccountClosed, AccountFrozen,
    BeforeOpening, MonthClosed, InsufficientFunds; KeyReused if the posting of the key has other
    amounts or accounts; ValueError for two transactions on one account.
    """
    if len({row.account_id for row in rows}) != len(rows):
        raise ValueError("A posting has at most one transaction on an account.")
    if made := _find_made(idempotency_key, rows):
        return made
    draft = Draft(
        rows,
        at,
        counter=counter_of(rows),
        description=description or rows[0].description,
        by=by,
        idempotency_key=idempotency_key,
    )
    try:
        _post(draft, allow_overdraft=allow_overdraft)
    except IntegrityError:  # somebody else used the key meanwhile
        if made := _find_made(idempotency_key, rows):
            return made
        raise
    return draft.posting


def transfer(
    *,
    source: Account,
    target: Account,
    amount_cents: int,
    at: datetime,
    description: str,
    by: User | None = None,
    idempotency_key: str = "",
) -> Posting:
    """Transfer money between two accounts of one business.

    Raises: the errors of `post`; ValueError for an amount that is not positive, or two businesses.
    """
    if amount_cents <= 0 or source.business_id != target.business_id:
        raise ValueError("A transfer moves a positive amount within one business.")
    rows = transfer_rows(source, target, amount_cents, at=at, description=description)
    return post(*rows, at=at, by=by, idempotency_key=idempotency_key)


def transfer_rows(
    source: Account, target: Account, amount_cents: int, *, at: datetime, description: str
) -> list[Transaction]:
    """Return the two transactions of a transfer, unsaved: out of `source`, and into `target`."""
    return [
        Transaction(
            account=account,
            transaction_type=TransactionType.FUND_TRANSFER,
            amount_cents=amount,
            occurred_at=at,
            category_id=category,
            description=description,
        )
        for account, amount, category in [
            (source, -amount_cents, "TRANSFERS_OUT"),
            (target, amount_cents, "TRANSFERS_IN"),
        ]
    ]


@transaction.atomic
def reverse(posting: Posting, *, at: datetime, reason: str, by: User | None = None) -> Posting:
    """Post the opposite of a posting, once, and return the new posting.

    It may overdraw accounts, and is posted to frozen accounts. Raises: AlreadyReversed,
    CountedAsPayment, AccountClosed, BeforeOpening, MonthClosed.
    """
    originals = list(
        posting.transactions.select_related("account", "category").order_by("account_id")
    )
    accounts = balances.lock_accounts(originals)
    if posting.reverses_id or Posting.objects.filter(reverses=posting).exists():
        raise AlreadyReversed(f"{posting} was reversed already")
    if _is_counted(posting):
        raise CountedAsPayment(f"{posting} is the payment of an invoice or a bill")
    rows = [_opposite(row, at=at, reason=reason) for row in originals]
    counter = posting.entries.filter(account__business=None).first()
    draft = Draft(
        rows,
        at,
        counter=counter.account if counter else None,
        description=f"Reversal: {reason}",
        by=by,
        reverses=posting,
    )
    record([draft], accounts)
    return draft.posting


def record(drafts: Sequence[Draft], accounts: dict[int, Account]) -> None:
    """Write postings on accounts that the caller has locked: entries, rows, balances, totals.

    Transactions that have a row already are pending ones that settle: their rows are updated.
    Raises: BeforeOpening, MonthClosed.
    """
    clearing = bank_account(AccountType.CLEARING)
    for draft in drafts:
        _complete(draft, accounts)
    entries = [entry for draft in drafts for entry in draft.entries(clearing)]
    rows = [row for draft in drafts for row in draft.transactions]
    insert(*entries)
    insert(*(draft.posting for draft in drafts))
    settling = [row for row in rows if row.pk is not None]
    insert(*(row for row in rows if row.pk is None))
    Transaction.objects.bulk_update(
        settling, ["status", "posting", "settled_at", "settles_at", "amount_cents"]
    )
    balances.add(rows)
    totals.add(rows)


def counter_of(rows: Sequence[Transaction]) -> Account | None:
    """Return the bank's fee income account if all transactions are fees, else None (clearing)."""
    is_fee = all(row.transaction_type == TransactionType.FEE for row in rows)
    return bank_account(AccountType.FEE_INCOME) if is_fee else None


def _complete(draft: Draft, accounts: dict[int, Account]) -> None:
    day = draft.at.astimezone(UTC).date()
    for row in draft.transactions:
        account = accounts[row.account_id]
        row.business_id = balances.business_of(account)
        if account.closed_through and day <= account.closed_through:
            raise MonthClosed(f"{account} is closed through {account.closed_through}")
        if day < account.opened_at.astimezone(UTC).date():
            raise BeforeOpening(f"{account} was opened after {day}")
        row.posting, row.settled_at, row.settles_at = draft.posting, draft.at, None
        row.status = TransactionStatus.POSTED


@transaction.atomic
def _post(draft: Draft, *, allow_overdraft: bool) -> None:
    accounts = balances.lock_accounts(draft.transactions)
    if not allow_overdraft:
        balances.require_funds(draft.transactions, accounts)
    record([draft], accounts)


def _find_made(idempotency_key: str, rows: Sequence[Transaction]) -> Posting | None:
    """Return the posting that was made under an idempotency key; None for a new or empty key.

    Raises: KeyReused if its accounts and amounts are not those of `rows`.
    """
    if not idempotency_key:
        return None
    made = Posting.objects.filter(idempotency_key=idempotency_key).first()
    if made is None:
        return None
    amounts = set(made.transactions.values_list("account", "amount_cents"))
    if amounts != {(row.account_id, row.amount_cents) for row in rows}:
        raise KeyReused(f"The key is that of {made}")
    return made


def _is_counted(posting: Posting) -> bool:
    named = Q(transaction__posting=posting, status__in=SENT)
    return (
        BillPayment.objects.filter(named).exists()
        or Invoice.objects.filter(payment__posting=posting).exists()
    )


def _opposite(row: Transaction, *, at: datetime, reason: str) -> Transaction:
    is_purchase = row.transaction_type == TransactionType.PURCHASE
    return Transaction(
        account=row.account,
        transaction_type=TransactionType.REFUND if is_purchase else row.transaction_type,
        amount_cents=-row.amount_cents,
        occurred_at=at,
        category=row.category,
        is_business=row.is_business,
        merchant_id=row.merchant_id,
        merchant_raw_name=row.merchant_raw_name,
        location_id=row.location_id,
        card_id=row.card_id,
        description=f"Reversal: {reason}",
    )
