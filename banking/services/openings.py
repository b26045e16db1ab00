"""Openings: a business becomes a customer of the bank, with its first accounts."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from banking.choices import AccountType
from banking.models import Account, Business, BusinessAddress, BusinessOwner
from banking.services import accounts


@transaction.atomic
def open_business(
    business: Business,
    *,
    owners: Sequence[BusinessOwner],
    addresses: Sequence[BusinessAddress],
    at: datetime,
) -> Account:
    """Save a business with its people and addresses, and return its checking account.

    Nothing of it is saved before: the rows come as they are to be. A bucket to set taxes aside in
    is opened with it. Nobody can sign in for the business yet.
    """
    business.save(force_insert=True)
    parts: list[BusinessOwner | BusinessAddress] = [*owners, *addresses]
    for part in parts:
        part.business = business
    BusinessOwner.objects.bulk_create(owners)
    BusinessAddress.objects.bulk_create(addresses)
    checking = accounts.open_account(business, AccountType.MAIN_ACCOUNT, at=at)
    accounts.open_account(business, AccountType.TAX_BUCKET, at=at)
    return checking
