"""Openings: what becomes of a lead when its application is approved."""

from datetime import date
from decimal import Decimal

import pytest

from banking.choices import AccountType, AddressKind, BusinessOwnerRole
from banking.models import Account, Business, BusinessAddress, BusinessOwner
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import EventType
from onboarding.models import Application, Event
from onboarding.queries import audit
from onboarding.services import openings
from onboarding.services.history import Actor, Role
from tests.factories import NOON
from tests.onboarding.services.test_submissions import ADDRESS, make_complete, make_complete_owner

REVIEWER = Actor(Role.REVIEWER, "ada")


@pytest.fixture
def approved(db):
    def make(*, status=Status.APPROVED, expiration_date=None, **values):
        application = make_complete(**values)
        application.status, application.expiration_date = status, expiration_date
        application.save()
        return application

    return make


def open_account(application):
    stored = Application.objects.select_related("lead").get(pk=application.pk)
    return openings.open_account(stored, by=REVIEWER, at=NOON)


def test_the_business_is_what_the_lead_says(approved):
    application = approved(mailing_address={**ADDRESS, "line1": "PO Box 12", "line2": None})
    make_complete_owner(application.lead, email="grace@example.com", ownership_percent="33.3333")

    account = open_account(application)

    business = Business.objects.get()
    lead = application.lead
    assert (business.legal_name, business.business_type) == (lead.business_name, "LLC")
    assert (business.email, business.incorporation_state) == (lead.email, "DE")
    assert (account.business, account.account_type) == (business, AccountType.MAIN_ACCOUNT)
    owners = BusinessOwner.objects.order_by("pk").values_list("email", "role", "ownership_percent")
    assert list(owners) == [
        (lead.email, BusinessOwnerRole.PRIMARY_OWNER, Decimal(60)),
        ("grace@example.com", BusinessOwnerRole.UBO, Decimal("33.33")),
    ]
    lines = BusinessAddress.objects.order_by("pk").values_list("kind", "line1", "line2", "country")
    assert list(lines) == [
        (AddressKind.REGISTERED, "1 Main Street", "", "US"),
        (AddressKind.MAILING, "PO Box 12", "", "US"),
    ]


def test_nobody_can_sign_in_for_it_yet(approved):
    open_account(approved())

    assert BusinessOwner.objects.get().user is None


def test_the_applicant_among_the_owners_is_one_person_by_the_larger_share(approved):
    application = approved()
    lead = application.lead
    make_complete_owner(lead, email=lead.email, ownership_percent=75)

    open_account(application)

    owner = BusinessOwner.objects.get()
    assert (owner.first_name, owner.ownership_percent) == (lead.first_name, 75)


@pytest.mark.parametrize(
    ("values", "state"),
    [
        ({}, "DE"),
        ({"incorporation_state": ""}, "NY"),
        ({"incorporation_state": "Bavaria", "business_address": {"state": "Île"}}, "NY"),
        ({"incorporation_state": "", "business_address": {}, "state": "Bavaria"}, ""),
    ],
)
def test_a_business_pays_taxes_in_a_state_of_the_country_or_in_none(approved, values, state):
    open_account(approved(**values))

    assert Business.objects.get().incorporation_state == state


def test_the_partner_is_told_of_the_account_but_not_its_number(approved):
    account = open_account(approved())

    event = Event.objects.get()
    assert (event.type, event.sequence, event.role, event.who) == (
        EventType.ACCOUNT_OPENED,
        1,
        Role.REVIEWER,
        "ada",
    )
    assert event.details == {
        "account_number_masked": f"••••{account.account_number[-4:]}",
        "routing_number": account.routing_number,
        "is_temp": False,
        "expiration_date": None,
        "missing_documents": [],
    }
    assert list(audit.find_faults()) == []


def test_of_a_temporary_account_the_partner_is_told_until_when_and_what_is_missing(approved):
    ends = date(2026, 4, 1)

    open_account(approved(status=Status.APPROVED_TEMPORARY, expiration_date=ends))

    details = Event.objects.get().details
    assert (details["is_temp"], details["expiration_date"]) == (True, "2026-04-01")
    assert details["missing_documents"] == ["ARTICLES_OF_ORGANIZATION", "IRS_EIN_LETTER"]


def test_an_account_is_opened_once(approved):
    application = approved()

    account = open_account(application)

    assert open_account(application) == account
    assert Application.objects.get().account == account
    assert Account.objects.of_customers().count() == 2
    assert Event.objects.count() == 1
