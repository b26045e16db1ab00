"""Lock, check and change balances of accounts; the callers write the transactions."""

from collections.abc import Iterable
from itertools import islice

from django.db.models import BigIntegerField, Case, F, Value, When

from banking.models import Account, Transaction

AT_ONCE = 500  # accounts


class AccountClosed(Exception):
    """The account takes no postings any more."""


class AccountFrozen(Exception):
    """The account is frozen: it receives money, and sends no money."""


class InsufficientFunds(Exception):
    """The account has less available than the transaction takes."""


def lock_accounts(rows: Iterable[Transaction], *, must_be_open: bool = True) -> dict[int, Account]:
    """Lock the accounts of the transactions, in the order of their ids, and return them by id.

    The accounts are read anew. Raises: AccountClosed if one is closed, unless `must_be_open` is
    false.
    """
    ids = {row.account_id for row in rows}
    locked = Account.objects.select_for_update(of=("self",)).filter(pk__in=ids).order_by("pk")
    accounts = {account.pk: account for account in locked}
    closed = [account for account in accounts.values() if not account.is_open]
    if closed and must_be_open:
        raise AccountClosed(f"{closed[0]} is closed")
    return accounts


def require_funds(rows: Iterable[Transaction], accounts: dict[int, Account]) -> None:
    """Require that each sending account is not frozen and has the amount that leaves it available.

    `accounts` are the locked accounts by id. An account that receives more than it sends is not
    checked. Raises: AccountFrozen, InsufficientFunds.
    """
    for pk, amount in _by_account((row, row.amount_cents) for row in rows).items():
        if amount < 0 and accounts[pk].is_frozen:
            raise AccountFrozen(f"{accounts[pk]} is frozen")
        if amount < 0 and accounts[pk].available_cents + amount < 0:
            raise InsufficientFunds(f"{accounts[pk]} has less available")


def add(rows: Iterable[Transaction]) -> None:
    """Add the amounts of posted transactions to the current balances of their accounts."""
    _add_to("current_cents", _by_account((row, row.amount_cents) for row in rows))


def hold_back(rows: Iterable[Transaction], *, sign: int = 1) -> None:
    """Hold the amounts of outgoing pending transactions, or release them with `sign=-1`."""
    _add_to("held_cents", _by_account((row, sign * row.held_cents) for row in rows))


def business_of(account: Account) -> int:
    """Return the id of the business whose account it is. Raises: ValueError for the bank's own."""
    if account.business_id is None:
        raise ValueError("The bank's own accounts have entries, not transactions.")
    return account.business_id


def _add_to(column: str, amounts: dict[int, int]) -> None:
    """Add amounts to a column of accounts by id, AT_ONCE in a statement."""
    left = iter(amounts.items())
    while batch := dict(islice(left, AT_ONCE)):
        cases = [When(pk=pk, then=Value(amount, BigIntegerField())) for pk, amount in batch.items()]
        Account.objects.filter(pk__in=batch).update(**{column: F(column) + Case(*cases)})


def _by_account(amounts: Iterable[tuple[Transaction, int]]) -> dict[int, int]:
    sums: dict[int, int] = {}
    for row, amount in amounts:
        sums[row.account_id] = sums.get(row.account_id, 0) + amount
    return {pk: amount for pk, amount in sorted(sums.items()) if amount}
