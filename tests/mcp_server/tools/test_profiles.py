"""Profiles, as an assistant sees them."""

from datetime import date

import pytest

from banking.choices import AddressKind, DunsStatus, SubscriptionStatus

NOWHERE = {"line1": "", "line2": "", "city": "", "state": "", "postal_code": ""}
HOME = {
    "line1": "1 Example Street",
    "line2": None,
    "city": "Springfield",
    "state": "IL",
    "postalCode": "62701",
    "country": "US",
}


def test_a_business_user_is_told_who_it_is(assistant, owner, business):
    assert assistant.call("svc_get_current_user") == {
        "externalId": str(owner.external_id),
        "userType": "BUSINESS",
        "firstName": "Maya",
        "lastName": "Baker",
        "email": owner.email,
        "businessName": business.legal_name,
        "businessUserId": str(business.external_id),
    }


@pytest.mark.parametrize("whose", ["business", "user"])
def test_the_current_users_id_is_taken_for_its_business(assistant, owner, business, whose):
    external_id = {"business": business, "user": owner}[whose].external_id

    user = assistant.call("svc_get_current_user", businessUserId=str(external_id))

    assert user["externalId"] == str(owner.external_id)


def test_an_accountant_is_told_who_signs_in_for_a_client(accountants_assistant, owner, business):
    user = accountants_assistant.call(
        "svc_get_current_user", businessUserId=str(business.external_id)
    )

    assert user == {
        "externalId": str(owner.external_id),
        "userType": "BUSINESS",
        "firstName": "Maya",
        "lastName": "Baker",
        "email": owner.email,
        "businessName": business.legal_name,
        "businessUserId": str(business.external_id),
    }


def test_nobody_may_sign_in_for_a_client(accountants_assistant, business, make_business_owner):
    make_business_owner(business)

    assert accountants_assistant.refusal(
        "svc_get_current_user", businessUserId=str(business.external_id)
    ) == ("NOT_FOUND", "There is no such user.")


def test_an_accountant_must_name_the_client(accountants_assistant):
    code, message = accountants_assistant.refusal("svc_get_current_user")

    assert code == "INVALID_PARAMETER"
    assert message.startswith("businessUserId: ")


def test_the_profile_is_the_legal_one(assistant, business):
    business.legal_name = "Crumb & Co LLC"
    business.incorporation_date = date(2019, 5, 1)
    business.save()

    assert assistant.call("svc_get_business_profile") == {
        "legalName": "Crumb & Co LLC",
        "incorporationState": "CA",
        "incorporationDate": "2019-05-01",
        "incorporationType": "LLC",
    }


def test_a_state_and_a_date_that_are_not_known_are_null(assistant, business):
    business.incorporation_state, business.incorporation_date = "", None
    business.save()

    profile = assistant.call("svc_get_business_profile")

    assert (profile["incorporationState"], profile["incorporationDate"]) == (None, None)


def test_the_three_addresses_are_told(assistant, business, make_address):
    make_address(business)
    make_address(business, kind=AddressKind.OPERATIONAL, line2="Suite 2", state="CA")
    make_address(
        business,
        kind=AddressKind.MAILING,
        line1="Beispielweg 1",
        city="Hamburg",
        state="",
        postal_code="20095",
        country="DE",
    )
    make_address()

    assert assistant.call("svc_get_business_addresses") == {
        "registered": HOME,
        "operational": {**HOME, "line2": "Suite 2", "state": "CA"},
        "mailing": {
            "line1": "Beispielweg 1",
            "line2": None,
            "city": "Hamburg",
            "state": None,
            "postalCode": "20095",
            "country": "DE",
        },
    }


def test_an_address_that_is_not_known_is_null(assistant, business, make_address):
    make_address(business, **NOWHERE)

    assert assistant.call("svc_get_business_addresses") == {
        "registered": None,
        "operational": None,
        "mailing": None,
    }


def test_owners_come_by_their_share(assistant, owner, business, make_business_owner):
    primary = owner.business_owner
    primary.ownership_percent = 40
    primary.save()
    partner = make_business_owner(business, role="UBO", ownership_percent="59.5")
    make_business_owner()

    assert assistant.call("svc_get_business_owners") == {
        "owners": [
            {
                "firstName": "Ada",
                "lastName": partner.last_name,
                "email": partner.email,
                "ownershipPercent": 59.5,
                "role": "UBO",
            },
            {
                "firstName": "Ada",
                "lastName": primary.last_name,
                "email": primary.email,
                "ownershipPercent": 40,
                "role": "PRIMARY_OWNER",
            },
        ]
    }


def test_a_business_may_have_no_known_owner(accountants_assistant, business):
    answer = accountants_assistant.call(
        "svc_get_business_owners", businessUserId=str(business.external_id)
    )

    assert answer == {"owners": []}


@pytest.mark.parametrize("count", [1, 20])
def test_owners_take_one_statement(
    assistant, business, make_business_owner, count, django_assert_num_queries
):
    for _ in range(count):
        make_business_owner(business, role="UBO", ownership_percent=1)

    with django_assert_num_queries(3):  # the token and the business, the owners, the log
        assert len(assistant.call("svc_get_business_owners")["owners"]) == count + 1


def test_the_plan_is_told_with_its_benefits(
    assistant, business, make_subscription, make_secured_card
):
    subscription = make_subscription(business, benefits=2)
    make_secured_card(business)

    assert assistant.call("svc_get_business_plan") == {
        "planCode": subscription.plan.code,
        "planName": subscription.plan.name,
        "status": "ACTIVE",
        "priceCents": 2_900,
        "priceUsd": "29.00",
        "renewalDate": "2026-04-01",
        "benefits": [
            {"code": "BENEFIT0", "name": "Benefit 0"},
            {"code": "BENEFIT1", "name": "Benefit 1"},
        ],
        "securedCardProgramEnrolled": True,
    }


def test_a_canceled_plan_renews_no_more(assistant, business, make_subscription):
    make_subscription(business, benefits=2, status=SubscriptionStatus.CANCELED, renewal_date=None)

    plan = assistant.call("svc_get_business_plan")

    assert (plan["status"], plan["renewalDate"], plan["benefits"]) == ("CANCELED", None, [])
    assert plan["securedCardProgramEnrolled"] is False


def test_a_business_without_a_plan_has_none(assistant, make_subscription):
    make_subscription()

    assert assistant.refusal("svc_get_business_plan") == (
        "NOT_FOUND",
        "There is no such subscription.",
    )


@pytest.mark.parametrize("count", [1, 20])
def test_a_plan_takes_three_statements(
    assistant, business, make_subscription, count, django_assert_num_queries
):
    make_subscription(business, benefits=count)

    with django_assert_num_queries(5):  # the token and the business, the plan's three, the log
        assert len(assistant.call("svc_get_business_plan")["benefits"]) == count


def test_the_duns_registration_is_told(assistant, business, make_duns_registration):
    make_duns_registration(
        business,
        number="150483782",
        line1="1 Example Street",
        city="Springfield",
        state="IL",
        postal_code="62701",
    )
    make_duns_registration()

    assert assistant.call("svc_get_duns_details") == {
        "dunsNumber": "150483782",
        "registrationStatus": "REGISTERED",
        "registeredName": business.legal_name,
        "registeredAddress": HOME,
        "registeredDate": "2026-03-02",
    }


def test_a_number_that_is_applied_for_is_null(assistant, business, make_duns_registration):
    make_duns_registration(business, number="", status=DunsStatus.PENDING, registered_date=None)

    assert assistant.call("svc_get_duns_details") == {
        "dunsNumber": None,
        "registrationStatus": "PENDING",
        "registeredName": business.legal_name,
        "registeredAddress": None,
        "registeredDate": None,
    }


def test_of_a_reported_number_nothing_else_is_told(assistant, business, make_duns_registration):
    make_duns_registration(
        business,
        number="150483782",
        status=DunsStatus.REPORTED,
        registered_name="",
        registered_date=None,
    )

    assert assistant.call("svc_get_duns_details") == {
        "dunsNumber": "150483782",
        "registrationStatus": "REPORTED",
        "registeredName": None,
        "registeredAddress": None,
        "registeredDate": None,
    }


def test_a_business_without_a_duns_registration_has_none(assistant, make_duns_registration):
    make_duns_registration()

    assert assistant.refusal("svc_get_duns_details") == (
        "NOT_FOUND",
        "There is no such duns registration.",
    )


def test_a_share_that_is_not_known_is_null_and_last(assistant, business, make_business_owner):
    make_business_owner(business, role="UBO", ownership_percent=None)
    make_business_owner(business, role="UBO", ownership_percent=20)

    owners = assistant.call("svc_get_business_owners")["owners"]

    assert [owner["ownershipPercent"] for owner in owners][-2:] == [20, None]
