"""Accountants see the referrals that are theirs, and no others."""

from uuid import uuid4

import pytest

from banking.choices import ReferralStatus
from banking.models import Referral
from banking.queries import referrals
from tests.factories import NOON, later


@pytest.fixture
def accountant(make_accountant):
    return make_accountant()


@pytest.fixture
def referral(accountant, make_referral):
    return make_referral(
        accountant,
        business_name="Rye_Bakery LLC",
        owner_first_name="Alan",
        owner_last_name="Turing",
        email="alan@example.com",
    )


@pytest.mark.parametrize("search", ["rye_b", "TURING", "alan t", "ALAN@EXAMPLE", "_", ""])
def test_a_referral_is_found_by_names_and_email(accountant, referral, make_referral, search):
    make_referral(business_name="Rye Bakery LLC", email="alan_turing@example.com")

    assert referrals.search_referrals(accountant, search=search).items == [referral]


def test_a_referral_is_not_found_by_something_else(accountant, referral):
    assert referrals.search_referrals(accountant, search="rye%").items == []


def test_referrals_come_newest_first_with_their_status_at_a_moment(
    accountant, referral, make_referral
):
    newest = make_referral(accountant, invited_at=later(days=2), expires_at=later(days=40))
    twin = make_referral(accountant)

    found = referrals.search_referrals(accountant).items

    assert found == [newest, twin, referral]
    assert [row.status_at(later(days=35)) for row in found] == [
        ReferralStatus.INVITED,
        ReferralStatus.EXPIRED,
        ReferralStatus.EXPIRED,
    ]


@pytest.mark.parametrize("count", [3, 30])
def test_referrals_take_two_statements(accountant, make_referral, count, django_assert_num_queries):
    for _ in range(count):
        make_referral(accountant)

    with django_assert_num_queries(2):
        page = referrals.search_referrals(accountant, search="example", page_size=10)

    assert (page.total_count, len(page.items)) == (count, min(count, 10))


def test_an_invitation_is_an_address_to_join_at(accountant, referral, settings):
    settings.BASE_URL = "https://bank.example.com"

    invitation = referrals.get_invitation(accountant, str(referral.external_id), at=NOON)

    assert invitation == referrals.Invitation(
        referral_external_id=referral.external_id,
        url=f"https://bank.example.com/join/{referral.invite_code}",
        expires_at=later(days=30),
    )


@pytest.mark.parametrize(
    ("values", "at"),
    [
        ({}, later(days=30)),
        ({"status": ReferralStatus.REGISTERED}, NOON),
        ({"status": ReferralStatus.COMPLETED, "completed_at": NOON}, NOON),
        ({"status": ReferralStatus.EXPIRED}, NOON),
    ],
)
def test_nobody_is_invited_twice(accountant, make_referral, values, at):
    referral = make_referral(accountant, **values)

    with pytest.raises(referrals.NotInvited):
        referrals.get_invitation(accountant, referral.external_id, at=at)


def test_the_invitation_of_another_accountant_is_not_found(accountant, make_referral):
    for external_id in [make_referral().external_id, uuid4(), "no id"]:
        with pytest.raises(Referral.DoesNotExist):
            referrals.get_invitation(accountant, external_id, at=NOON)


def test_an_invited_business_is_found_by_its_code(make_referral):
    referral = make_referral()

    assert referrals.get_invited(referral.invite_code, at=referral.invited_at) == referral
