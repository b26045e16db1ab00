"""Accounts of businesses: open and close them."""

import secrets
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from banking.choices import AccountStatus, AccountType
from banking.models import Account, Business, TaxBucket
from banking.models.accounts import ONE_PER_BUSINESS
from banking.numbers import ACCOUNT_NUMBER_DIGITS, complete_account_number
from banking.services.balances import AccountClosed

FIRST_NUMBER = 10 ** (ACCOUNT_NUMBER_DIGITS - 2)  # eleven digits without a zero in front


class AccountExists(Exception):
    """The business has an open account of a type of which it may have only one."""


class AccountInUse(Exception):
    """The account has a balance, or transactions that are pending."""


@transaction.atomic
def open_account(
    business: Business,
    account_type: AccountType,
    *,
    at: datetime,
    name: str | None = None,
    credit_limit_cents: int | None = None,
    account_number: str | None = None,
    external_id: UUID | None = None,
) -> Account:
    """Open an account; the first checking account of a business is its primary one.

    Without `account_number` a free number is drawn at random; without `name` the label of the type
    is the name. The bank's systems are not told: the caller announces the account. Raises:
    AccountExists; ValueError for a type of the bank's own, a credit account without a limit of 0 or
    more, or another account with a limit; IntegrityError for a number or id that is in use.
    """
    _require_sense(account_type, credit_limit_cents)
    lock_business(business.pk)
    open_ones = Account.objects.open().filter(business=business)
    if account_type in ONE_PER_BUSINESS and open_ones.filter(account_type=account_type).exists():
        raise AccountExists(f"{business} has an open {account_type}")
    account = Account(
        business=business,
        account_type=account_type,
        name=name or AccountType(account_type).label,
        routing_number=settings.BANK_ROUTING_NUMBER,
        is_primary=account_type == AccountType.MAIN_ACCOUNT
        and not open_ones.filter(is_primary=True).exists(),
        credit_limit_cents=credit_limit_cents,
        opened_at=at,
        **({"external_id": external_id} if external_id else {}),
    )
    if account_number:
        account.account_number = account_number
        account.save(force_insert=True)
    else:
        _save_under_a_free_number(account)
    if account_type == AccountType.TAX_BUCKET:
        TaxBucket.objects.create(account=account)
    return account


def lock_business(business_id: int | None) -> None:
    """Lock the business against opening and closing accounts, but not against postings.

    None, which stands for the bank itself, locks nothing.
    """
    rows = Business.objects.select_for_update(of=("self",), no_key=True)
    rows.filter(pk=business_id or 0).first()


@transaction.atomic
def close_account(account: Account, *, at: datetime) -> Account:
    """Close an empty account; the oldest other checking account takes over as the primary one.

    The bank's systems are not told: the caller announces the account. Raises: AccountInUse;
    AccountClosed, also for an account of the bank's own.
    """
    lock_business(account.business_id)
    account = Account.objects.select_for_update(of=("self",)).get(pk=account.pk)
    if account.current_cents or account.held_cents or account.transactions.pending().exists():
        raise AccountInUse(f"{account} has a balance or pending transactions")
    was_primary, account.is_primary = account.is_primary, False
    account.status, account.closed_at, account.frozen_at = AccountStatus.CLOSED, at, None
    still_open = Account.objects.open().of_customers().filter(pk=account.pk)
    values = {"status": account.status, "closed_at": at, "frozen_at": None, "is_primary": False}
    if not still_open.update(**values):
        raise AccountClosed(f"{account} is closed, or the bank's own")
    TaxBucket.objects.filter(account=account).update(is_active=False)
    if was_primary:
        _name_another_primary(account)
    return account


def _require_sense(account_type: AccountType, credit_limit_cents: int | None) -> None:
    kind = AccountType(account_type)
    if kind.is_of_the_bank:
        raise ValueError(f"An account of type {kind} is the bank's own.")
    if kind.is_credit != (credit_limit_cents is not None) or (credit_limit_cents or 0) < 0:
        raise ValueError("A credit account has a limit, other accounts have none.")


def _save_under_a_free_number(account: Account) -> None:
    """Save an account under a random number; draw again if an account has that number."""
    while True:
        account.account_number = complete_account_number(_draw_digits())
        try:
            with transaction.atomic():
                account.save(force_insert=True)
        except IntegrityError:
            if not Account.objects.filter(account_number=account.account_number).exists():
                raise
        else:
            return


def _draw_digits() -> str:
    return str(FIRST_NUMBER + secrets.randbelow(9 * FIRST_NUMBER))


def _name_another_primary(closed: Account) -> None:
    checking = Account.objects.open().filter(
        business=closed.business_id, account_type=AccountType.MAIN_ACCOUNT
    )
    oldest = checking.order_by("opened_at", "pk").first()
    if oldest:
        checking.filter(pk=oldest.pk).update(is_primary=True)
