"""Accounts of a business at this bank, and its linked accounts at others."""

import re
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from banking.choices import AccountType, BucketType
from banking.models import Account, Business, LinkedAccount
from banking.models.accounts import AccountQuerySet
from banking.reach import EVERYTHING, Reach
from foundation.database.compiled_queries import CompiledQuery
from foundation.external_ids import parse

SUMMARIZED = {
    AccountType.TAX_BUCKET: BucketType.TAX,
    AccountType.SECURED_CARD_COLLATERAL: BucketType.SECURED_CARD_COLLATERAL,
}
MASKED = re.compile(r"[•*xX.\- ]*(\d{4})")  # as a masked number is shown, or its digits alone
OPEN_OF = CompiledQuery(lambda business: list_accounts(business).open())


class AmbiguousNumber(Exception):
    """The masked number is that of several accounts of the business."""


@dataclass(frozen=True)
class SubAccount:
    """The current balance of a tax bucket or of the collateral of a secured card."""

    bucket_type: BucketType
    balance_cents: int


@dataclass(frozen=True)
class AccountSummary:
    """The main account of a business, its tax bucket and card collateral, and its open accounts.

    `account` is the primary checking account, else the oldest. Accounts out of reach are left out.
    """

    account: Account
    sub_accounts: list[SubAccount]
    accounts: list[Account]

    @property
    def cash_cents(self) -> int:
        """Return the sum of the current balances of all accounts but credit accounts.

        Holds are not deducted.
        """
        return sum(row.current_cents for row in self.accounts if not _is_credit(row))

    @property
    def owed_cents(self) -> int:
        """Return the debt on the line of credit and the secured card, positive if money is owed."""
        return -sum(row.current_cents for row in self.accounts if _is_credit(row))


def get_account_summary(business: Business, reach: Reach = EVERYTHING) -> AccountSummary:
    """Return the primary checking account, the tax bucket, the card's collateral and all accounts.

    Only open accounts in reach are read. Without a primary, the oldest checking account takes its
    place; if the reach names accounts and none is a checking account, any other does.
    Raises: Account.DoesNotExist if no account can take that place.
    """
    accounts = [row for row in OPEN_OF.all(business=business.pk) if reach.has_account(row.pk)]
    checking = [row for row in accounts if row.account_type == AccountType.MAIN_ACCOUNT]
    if not checking and reach.accounts is not None:
        checking = accounts
    if not checking:
        raise Account.DoesNotExist
    sub_accounts = [
        SubAccount(bucket_type, account.current_cents)
        for account_type, bucket_type in SUMMARIZED.items()
        for account in accounts
        if account.account_type == account_type
    ]
    return AccountSummary(checking[0], sub_accounts, accounts)


def list_accounts(business: Business) -> AccountQuerySet:
    """Return all accounts of a business, also closed ones: the primary first, then by opening."""
    found = Account.objects.filter(business=business)
    return found.order_by("-is_primary", "opened_at", "pk")


def get_account(business: Business, name: str, reach: Reach = EVERYTHING) -> Account:
    """Return the account with a number, its last four digits or an external id, closed or not.

    The four digits may be masked, for example ••••1234. Raises: Account.DoesNotExist, also for an
    account of another business or out of reach; AmbiguousNumber.
    """
    named = Q(account_number=name) | Q(external_id=parse(name))
    if masked := MASKED.fullmatch(name):
        named |= Q(account_number__endswith=masked[1])
    found = list(list_accounts(business).filter(named, reach.of_accounts("pk"))[:2])
    if not found:
        raise Account.DoesNotExist
    if len(found) > 1:
        raise AmbiguousNumber(f"Two accounts end in {name[-4:]}.")
    return found[0]


def number_of(account: Account, reach: Reach) -> str:
    """Return the number of an account; masked where the reach does not show numbers.

    Returns the external id instead of a masked number that another account of the business has.
    """
    if reach.shows_numbers:
        return account.account_number
    others = Account.objects.filter(business=account.business_id).exclude(pk=account.pk)
    is_shared = others.filter(account_number__endswith=account.account_number[-4:]).exists()
    return str(account.external_id) if is_shared else account.masked_number


def _is_credit(account: Account) -> bool:
    return AccountType(account.account_type).is_credit


def list_linked_accounts(business: Business) -> QuerySet[LinkedAccount]:
    """Return the accounts of a business at other institutions, by institution and name."""
    found = LinkedAccount.objects.filter(business=business)
    return found.order_by("institution_name", "account_name", "pk")
