"""Accounts of a business at this bank, and its linked accounts at others."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from banking.choices import AccountType, BucketType
from banking.models import Account, Business, LinkedAccount
from banking.models.accounts import AccountQuerySet
from foundation.database.compiled_queries import CompiledQuery
from foundation.external_ids import parse

SUMMARIZED = {
    AccountType.TAX_BUCKET: BucketType.TAX,
    AccountType.SECURED_CARD_COLLATERAL: BucketType.SECURED_CARD_COLLATERAL,
}
OPEN_OF = CompiledQuery(lambda business: list_accounts(business).open())


@dataclass(frozen=True)
class SubAccount:
    """An account beside the primary one, and its balance."""

    bucket_type: BucketType
    balance_cents: int


@dataclass(frozen=True)
class AccountSummary:
    """The primary account of a business, and the accounts beside it that it has."""

    account: Account
    sub_accounts: list[SubAccount]


def get_account_summary(business: Business) -> AccountSummary:
    """Return the open primary account with the tax bucket and the card's collateral.

    Raises: Account.DoesNotExist for a business without an open checking account.
    """
    accounts = OPEN_OF.all(business=business.pk)
    checking = [row for row in accounts if row.account_type == AccountType.MAIN_ACCOUNT]
    if not checking:
        raise Account.DoesNotExist
    sub_accounts = [
        SubAccount(bucket_type, account.current_cents)
        for account_type, bucket_type in SUMMARIZED.items()
        for account in accounts
        if account.account_type == account_type
    ]
    return AccountSummary(checking[0], sub_accounts)


def list_accounts(business: Business) -> AccountQuerySet:
    """Return all accounts of a business, closed accounts too: the primary, then the oldest."""
    found = Account.objects.filter(business=business)
    return found.order_by("-is_primary", "opened_at", "pk")


def get_account(business: Business, name: str) -> Account:
    """Return the account with a number or external id, also if it is closed.

    Raises: Account.DoesNotExist, also for an account of another business.
    """
    return list_accounts(business).get(Q(account_number=name) | Q(external_id=parse(name)))


def list_linked_accounts(business: Business) -> QuerySet[LinkedAccount]:
    """Return the accounts at other institutions, by institution and name."""
    found = LinkedAccount.objects.filter(business=business)
    return found.order_by("institution_name", "account_name", "pk")
