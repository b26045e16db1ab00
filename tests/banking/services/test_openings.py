import pytest
from django.db import IntegrityError

from banking.choices import AccountType, AddressKind, BusinessOwnerRole, BusinessType
from banking.models import Account, Business, BusinessAddress, BusinessOwner, TaxBucket
from banking.services import openings
from tests.factories import NOON


def draft_business(**values):
    values = {
        "legal_name": "Analytical Engines LLC",
        "business_type": BusinessType.LLC,
        "incorporation_state": "DE",
        "incorporation_date": NOON.date(),
        "email": "ada@example.com",
        "created_at": NOON,
        **values,
    }
    return Business(**values)


def draft_owner(**values):
    values = {
        "first_name": "Ada",
        "last_name": "Example",
        "email": "ada@example.com",
        "ownership_percent": 60,
        "role": BusinessOwnerRole.PRIMARY_OWNER,
        **values,
    }
    return BusinessOwner(**values)


def open_business(*, owners=(), addresses=()):
    return openings.open_business(draft_business(), owners=owners, addresses=addresses, at=NOON)


def test_a_business_gets_a_checking_account_and_a_bucket_for_taxes(db):
    checking = open_business()

    business = Business.objects.get()
    opened = {
        account.account_type: account for account in Account.objects.filter(business=business)
    }
    assert set(opened) == {AccountType.MAIN_ACCOUNT, AccountType.TAX_BUCKET}
    assert opened[AccountType.MAIN_ACCOUNT] == checking
    assert (checking.is_primary, checking.current_cents, checking.opened_at) == (True, 0, NOON)
    assert TaxBucket.objects.get().account == opened[AccountType.TAX_BUCKET]


def test_its_people_and_addresses_are_saved_with_it(db):
    grace = draft_owner(email="grace@example.com", role=BusinessOwnerRole.UBO)
    address = BusinessAddress(kind=AddressKind.REGISTERED, line1="1 Example Street")

    checking = open_business(owners=[draft_owner(), grace], addresses=[address])

    owners = BusinessOwner.objects.order_by("pk").values_list("email", "user", "business")
    business = checking.business_id
    assert list(owners) == [
        ("ada@example.com", None, business),
        ("grace@example.com", None, business),
    ]
    assert BusinessAddress.objects.get().business_id == business


def test_it_is_all_or_nothing(db):
    with pytest.raises(IntegrityError):
        open_business(owners=[draft_owner(), draft_owner()])

    assert not Business.objects.exists()
    assert not Account.objects.of_customers().exists()
