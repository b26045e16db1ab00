"""Openings: a business becomes a customer of the bank, with its first accounts."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from django.db import transaction
from django.db.models import Model

from banking.choices import (
    AccountType,
    DunsStatus,
    FeedResult,
    SubscriptionStatus,
)
from banking.days import next_month
from banking.models import (
    Account,
    Business,
    BusinessAddress,
    BusinessOwner,
    DunsRegistration,
    Plan,
    Subscription,
)
from banking.models.accounts import AccountQuerySet
from banking.services import accounts, feed_changes, invitations


@transaction.atomic
def open_business(
    business: Business,
    *,
    owners: Sequence[BusinessOwner],
    addresses: Sequence[BusinessAddress],
    duns: str = "",
    at: datetime,
) -> Account:
    """Save a business with its people and addresses, and return its checking account.

    The rows are complete and unsaved. A DUNS number is recorded as reported, since nobody has
    looked it up. A tax bucket is opened with the checking account, and the default plan begins, if
    there is one. The bank's systems are told of all rows. The primary owner and the owners with a
    sign-in role are given sign-ins, unless a user with the email cannot be used for the business.
    """
    business.save(force_insert=True)
    parts: list[BusinessOwner | BusinessAddress] = [*owners, *addresses]
    for part in parts:
        part.business = business
    BusinessOwner.objects.bulk_create(owners)
    BusinessAddress.objects.bulk_create(addresses)
    checking = accounts.open_account(business, AccountType.MAIN_ACCOUNT, at=at)
    bucket = accounts.open_account(business, AccountType.TAX_BUCKET, at=at)
    created: dict[str, Sequence[Model]] = {
        "businesses": [business],
        "owners": owners,
        "addresses": addresses,
        "accounts": [checking, bucket],
        "duns-registrations": _report_duns(business, duns),
        "subscriptions": _subscribe(business, at),
    }
    for kind, rows in created.items():
        feed_changes.announce(kind, rows, FeedResult.CREATED, at=at)
    for owner in owners:
        if owner.may_sign_in:
            invitations.give_sign_in(owner, at=at)
    return checking


def _report_duns(business: Business, number: str) -> list[DunsRegistration]:
    """Record a DUNS number that the application named, if there is one."""
    if not number:
        return []
    reported = DunsStatus.REPORTED
    return [DunsRegistration.objects.create(business=business, number=number, status=reported)]


def _subscribe(business: Business, at: datetime) -> list[Subscription]:
    """Put a business on the default plan, which renews on the first day of the next month."""
    plan = Plan.objects.filter(is_default=True).first()
    if plan is None:
        return []
    today = at.astimezone(UTC).date()
    subscription = Subscription.objects.create(
        business=business,
        plan=plan,
        status=SubscriptionStatus.ACTIVE,
        started_date=today,
        renewal_date=next_month(today),
    )
    return [subscription]


def limit(account: Account, *, until: date | None) -> None:
    """Set the end date of all open accounts of the account's business; None removes the date."""
    _open_ones(account).update(end_date=until)


@transaction.atomic
def close(account: Account, *, at: datetime) -> list[Account]:
    """Close all open accounts of the account's business, tell the bank's systems, and return them.

    Raises: AccountInUse if one of them cannot be closed; then none is closed.
    """
    open_ones = list(_open_ones(account).order_by("pk"))
    feed_changes.announce("accounts", open_ones, FeedResult.UPDATED, at=at)
    return [accounts.close_account(one, at=at) for one in open_ones]


def _open_ones(account: Account) -> AccountQuerySet:
    return Account.objects.open().filter(business=account.business_id)
