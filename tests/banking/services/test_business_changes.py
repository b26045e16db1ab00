"""Changes of a business that a partner, an owner or staff asked for and the bank approved."""

from decimal import Decimal

import pytest

from banking.choices import AddressKind, BusinessOwnerRole, SignInRole
from banking.models import BusinessAddress, BusinessOwner, FeedChange, User
from banking.services import business_changes
from banking.services.business_changes import PrimaryOwnerStays
from tests.factories import NOON, make_address, make_business, make_business_owner

pytestmark = pytest.mark.django_db


@pytest.fixture
def business():
    return make_business()


def change(business, **said):
    return business_changes.change_business(business, at=NOON, **{"values": {}, **said})


def announced():
    return list(FeedChange.objects.order_by("pk").values_list("kind", "result"))


def owner(email="grace@example.com", **values):
    values = {"first_name": "Grace", "last_name": "Example", **values}
    values.setdefault("role", BusinessOwnerRole.UBO)
    return BusinessOwner(email=email, ownership_percent=Decimal(30), **values)


def test_the_values_are_changed_and_announced(business):
    change(business, values={"legal_name": "Mill LLC", "phone_number": "+12025550188"})

    business.refresh_from_db()
    assert (business.legal_name, business.phone_number) == ("Mill LLC", "+12025550188")
    assert announced() == [("businesses", "updated")]


def test_an_address_replaces_that_of_its_kind_or_is_added(business):
    make_address(business, kind=AddressKind.MAILING, line2="Floor 2")
    new = {"line1": "4 Compiler Avenue", "city": "Arlington", "state": "VA"}

    change(
        business,
        addresses=[
            BusinessAddress(kind=AddressKind.MAILING, **new),
            BusinessAddress(kind=AddressKind.REGISTERED, **new),
        ],
    )

    rows = BusinessAddress.objects.order_by("kind").values_list("kind", "line1", "line2")
    assert list(rows) == [
        (AddressKind.MAILING, "4 Compiler Avenue", ""),
        (AddressKind.REGISTERED, "4 Compiler Avenue", ""),
    ]
    assert announced() == [("addresses", "updated"), ("addresses", "created")]


def test_an_address_of_a_cleared_kind_is_removed_and_announced(business):
    make_address(business, kind=AddressKind.MAILING)
    make_address(business, kind=AddressKind.REGISTERED)
    make_address(make_business(), kind=AddressKind.MAILING)

    change(business, cleared=[AddressKind.MAILING, AddressKind.OPERATIONAL])

    left = BusinessAddress.objects.filter(business=business).values_list("kind", flat=True)
    assert list(left) == [AddressKind.REGISTERED]
    assert BusinessAddress.objects.count() == 2
    assert announced() == [("addresses", "removed")]


def test_an_owner_is_added_with_a_sign_in(business):
    [added] = change(business, owners=[owner(sign_in_role=SignInRole.PARTNER)])

    assert added.user == User.objects.get(email="grace@example.com")
    assert announced()[0] == ("owners", "created")


def test_an_owner_without_a_role_gets_no_sign_in(business):
    [added] = change(business, owners=[owner()])

    assert added.user is None


def test_an_owner_who_loses_the_role_cannot_sign_in_any_more(business):
    change(business, owners=[owner(sign_in_role=SignInRole.PARTNER)])

    assert change(business, owners=[owner(first_name="Gracia")]) == []

    known = BusinessOwner.objects.get()
    assert (known.first_name, known.user, known.sign_in_role) == ("Gracia", None, "")


def test_an_owner_who_gets_the_role_can_sign_in(business):
    change(business, owners=[owner()])

    change(business, owners=[owner(sign_in_role=SignInRole.PARTNER)])

    assert BusinessOwner.objects.get().user.email == "grace@example.com"


def test_an_owner_is_removed_with_the_sign_in(business):
    change(business, owners=[owner(sign_in_role=SignInRole.PARTNER)])

    change(business, removed=["grace@example.com"])

    assert not BusinessOwner.objects.exists()
    assert not hasattr(User.objects.get(email="grace@example.com"), "business_owner")
    assert ("owners", "removed") in announced()


def test_the_primary_owner_keeps_the_role_and_stays(business):
    primary = make_business_owner(business, role=BusinessOwnerRole.PRIMARY_OWNER)

    change(business, owners=[owner(primary.email, first_name="Gracia")])

    primary.refresh_from_db()
    assert (primary.first_name, primary.role) == ("Gracia", BusinessOwnerRole.PRIMARY_OWNER)
    with pytest.raises(PrimaryOwnerStays):
        change(business, removed=[primary.email])


def test_owners_of_other_businesses_stay(business):
    other = make_business_owner(email="grace@example.com", role=BusinessOwnerRole.UBO)

    change(business, removed=["grace@example.com"])

    assert BusinessOwner.objects.get() == other
