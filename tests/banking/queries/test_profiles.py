"""What the bank knows of a user and of a business."""

from datetime import date

import pytest

from banking.choices import AddressKind, EnrollmentStatus, SubscriptionStatus
from banking.models import BusinessOwner, DunsRegistration, Subscription, User
from banking.queries import profiles

NOT_ENROLLED = {
    "enrollment_status": EnrollmentStatus.PENDING,
    "status": "",
    "card_account": None,
    "collateral_account": None,
    "enrolled_at": None,
}


@pytest.fixture
def business(make_business):
    return make_business(
        legal_name="Crumb LLC", incorporation_state="IL", incorporation_date=date(2019, 5, 1)
    )


@pytest.fixture
def user(business, make_user, make_business_owner):
    user = make_user(first_name="Ada", last_name="Lovelace", email="ada@example.com")
    make_business_owner(business, user=user)
    return user


def test_a_business_user_signs_in_for_a_business(user, business, django_assert_num_queries):
    with django_assert_num_queries(1):
        found = profiles.get_owner(user).business

    assert found == business


def test_another_user_signs_in_for_none(business, make_user, make_business_owner):
    make_business_owner(business)

    with pytest.raises(BusinessOwner.DoesNotExist):
        profiles.get_owner(make_user())


def test_the_primary_owner_signs_in_before_others(
    business, make_user, make_business_owner, django_assert_num_queries
):
    partner, primary = make_user(), make_user()
    make_business_owner(business, user=partner, role="UBO")
    make_business_owner(business, user=primary)

    with django_assert_num_queries(1):
        assert profiles.get_signer(business) == primary


def test_without_a_primary_owner_who_signs_in_another_does(
    business, make_user, make_business_owner
):
    partner = make_user()
    make_business_owner(business)
    make_business_owner(business, user=partner, role="UBO")

    assert profiles.get_signer(business) == partner


def test_an_owner_with_full_access_signs_in_before_a_partner(
    business, make_user, make_business_owner
):
    make_business_owner(business, user=make_user(), role="UBO", sign_in_role="PARTNER")
    full = make_business_owner(business, user=make_user(), role="UBO")

    assert profiles.get_signer(business) == full.user


def test_nobody_may_sign_in_for_a_business(business, make_user, make_business_owner):
    make_business_owner(business, user=make_user(is_active=False))
    make_business_owner(user=make_user())

    with pytest.raises(User.DoesNotExist):
        profiles.get_signer(business)


def test_the_three_addresses_are_told_in_one_statement(
    business, make_address, django_assert_num_queries
):
    made = [make_address(business, kind=kind) for kind in AddressKind]
    make_address()

    with django_assert_num_queries(1):
        found = profiles.get_addresses(business)

    assert [found.registered, found.operational, found.mailing] == made


def test_an_address_that_is_not_known_is_none(business, make_address):
    mailing = make_address(business, kind=AddressKind.MAILING)

    assert profiles.get_addresses(business) == profiles.Addresses(None, None, mailing)


def test_owners_come_by_their_share(business, make_business_owner):
    shares = [20, 60, 20]
    made = [
        make_business_owner(
            business, ownership_percent=share, role="PRIMARY_OWNER" if share == 60 else "UBO"
        )
        for share in shares
    ]
    make_business_owner()

    assert list(profiles.list_owners(business)) == [made[1], made[0], made[2]]


@pytest.mark.parametrize("count", [3, 30])
def test_owners_take_one_statement(business, make_business_owner, count, django_assert_num_queries):
    for _ in range(count):
        make_business_owner(business, role="UBO", ownership_percent=3)

    with django_assert_num_queries(1):
        assert len(profiles.list_owners(business)) == count


@pytest.mark.parametrize("count", [3, 30])
def test_a_plan_is_read_in_three_statements(
    business, make_subscription, make_secured_card, count, django_assert_num_queries
):
    subscription = make_subscription(business, benefits=count)
    make_subscription(benefits=1)
    make_secured_card(business)

    with django_assert_num_queries(3):
        plan = profiles.get_plan(business)
        price = plan.subscription.plan.price_cents

    assert (plan.subscription, price) == (subscription, 2_900)
    assert len(plan.benefits) == count
    assert plan.is_secured_card_enrolled


def test_a_canceled_plan_has_no_benefits(business, make_subscription):
    make_subscription(business, benefits=3, status=SubscriptionStatus.CANCELED, renewal_date=None)

    assert profiles.get_plan(business).benefits == []


@pytest.mark.parametrize(
    "values", [NOT_ENROLLED, {"enrollment_status": EnrollmentStatus.CLOSED, "status": "CLOSED"}]
)
def test_who_left_the_program_or_waits_is_not_enrolled(
    business, make_subscription, make_secured_card, values
):
    make_subscription(business)
    make_secured_card(business, **values)
    make_secured_card()

    assert not profiles.get_plan(business).is_secured_card_enrolled


def test_a_business_without_a_plan_has_none(business, make_subscription):
    make_subscription()

    with pytest.raises(Subscription.DoesNotExist):
        profiles.get_plan(business)


def test_the_duns_registration_is_that_of_the_business(
    business, make_duns_registration, django_assert_num_queries
):
    registration = make_duns_registration(business)
    make_duns_registration()

    with django_assert_num_queries(1):
        assert profiles.get_duns_registration(business) == registration


def test_a_business_without_a_duns_registration_has_none(business, make_duns_registration):
    make_duns_registration()

    with pytest.raises(DunsRegistration.DoesNotExist):
        profiles.get_duns_registration(business)
