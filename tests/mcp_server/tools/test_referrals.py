"""Referrals, as an accountant's assistant sees them."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from banking.choices import ReferralStatus
from tests.factories import NOON, later

NO_INVITATION = (
    "NOT_FOUND",
    "The invitation was taken up or has expired: there is no URL to share.",
)
SOME_DAY = datetime(2999, 1, 1, tzinfo=UTC)


@pytest.fixture
def assistant(accountant, make_assistant):
    return make_assistant(accountant.user)


@pytest.fixture
def referral(accountant, make_referral):
    return make_referral(
        accountant,
        business_name="Rye_Bakery LLC",
        owner_first_name="Alan",
        owner_last_name="Turing",
        email="alan@example.com",
        invite_code="rye-code",
        expires_at=SOME_DAY,
    )


def test_referrals_come_in_pages_newest_first(assistant, accountant, referral, make_referral):
    joined = make_referral(
        accountant,
        status=ReferralStatus.COMPLETED,
        invited_at=later(days=1),
        completed_at=later(days=2),
    )
    make_referral()

    assert assistant.call("svc_search_accountant_referrals") == {
        "referrals": [
            {
                "externalId": str(joined.external_id),
                "businessName": joined.business_name,
                "ownerFirstName": "Alan",
                "ownerLastName": joined.owner_last_name,
                "email": joined.email,
                "status": "COMPLETED",
                "invitedDate": "2026-03-03",
                "completedDate": "2026-03-04",
            },
            {
                "externalId": str(referral.external_id),
                "businessName": "Rye_Bakery LLC",
                "ownerFirstName": "Alan",
                "ownerLastName": "Turing",
                "email": "alan@example.com",
                "status": "INVITED",
                "invitedDate": "2026-03-02",
                "completedDate": None,
            },
        ],
        "page": 0,
        "pageSize": 20,
        "totalCount": 2,
        "totalPages": 1,
    }


def test_an_invitation_that_lapsed_is_expired(assistant, accountant, make_referral):
    make_referral(accountant, expires_at=timezone.now() - timedelta(seconds=1))

    assert assistant.call("svc_search_accountant_referrals")["referrals"][0]["status"] == "EXPIRED"


@pytest.mark.parametrize(
    ("search", "found"), [("rye_", 1), ("alan t", 1), ("ALAN@", 1), ("", 1), ("%", 0)]
)
def test_referrals_are_searched_by_names_and_email(assistant, referral, search, found):
    page = assistant.call("svc_search_accountant_referrals", search=search)

    assert (page["totalCount"], page["totalPages"], len(page["referrals"])) == (found,) * 3


@pytest.mark.parametrize("count", [2, 20])
def test_a_page_of_referrals_takes_two_statements(
    assistant, accountant, make_referral, count, django_assert_num_queries
):
    for _ in range(count):
        make_referral(accountant)

    with django_assert_num_queries(5):  # the token, the accountant, the page's two, the log
        page = assistant.call("svc_search_accountant_referrals", size=2)

    assert (len(page["referrals"]), page["totalPages"]) == (2, count // 2)


def test_an_invitation_has_an_address_to_share(assistant, referral):
    assert assistant.call(
        "svc_get_referral_invite_url", referralExternalId=str(referral.external_id)
    ) == {
        "referralExternalId": str(referral.external_id),
        "inviteUrl": "http://testserver/join/rye-code",
        "expiresAt": "2999-01-01T00:00:00Z",
    }


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"status": ReferralStatus.REGISTERED, "expires_at": SOME_DAY},
        {"status": ReferralStatus.COMPLETED, "expires_at": SOME_DAY, "completed_at": NOON},
    ],
)
def test_an_invitation_that_lapsed_or_was_taken_up_has_none(
    assistant, accountant, make_referral, values
):
    referral = make_referral(accountant, **values)

    refusal = assistant.refusal(
        "svc_get_referral_invite_url", referralExternalId=str(referral.external_id)
    )

    assert refusal == NO_INVITATION


def test_other_accountants_referrals_are_not_found(assistant, make_referral):
    for external_id in [make_referral().external_id, uuid4(), "no id"]:
        assert assistant.refusal(
            "svc_get_referral_invite_url", referralExternalId=str(external_id)
        ) == (
            "NOT_FOUND",
            "There is no such referral. Take externalId from svc_search_accountant_referrals.",
        )
