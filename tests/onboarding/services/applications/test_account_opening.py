"""Openings: what becomes of a lead when its application is approved."""

from datetime import date
from decimal import Decimal

import pytest
from django.db import transaction

from banking.choices import AccountType, AddressKind, BusinessOwnerRole, DunsStatus, UserType
from banking.models import (
    Account,
    Business,
    BusinessAddress,
    BusinessOwner,
    DunsRegistration,
    User,
)
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Event, Holder, Lead, Mail, Stake
from onboarding.queries import audit
from onboarding.queries.leads import lock_application
from onboarding.services.applications import account_opening
from onboarding.services.applications.account_opening import Ending
from onboarding.services.events import history
from onboarding.services.events.history import Actor, Role
from tests.factories import NOON, later, make_transaction, make_user
from tests.onboarding.services.leads.test_submissions import (
    ADDRESS,
    make_complete,
    make_complete_owner,
)

REVIEWER = Actor(Role.REVIEWER, "ada")


@pytest.fixture
def approved(db):
    def make(*, status=Status.APPROVED, expiration_date=None, **values):
        application = make_complete(**values)
        application.status, application.expiration_date = status, expiration_date
        application.save()
        return application

    return make


def open_locked(pk):
    with transaction.atomic():
        return account_opening.open_account(lock_application(pk=pk), by=REVIEWER, at=NOON).pk


def fail(*_args, **_options):
    raise RuntimeError


def invited():
    return Event.objects.get(type=EventType.INVITED).details


def open_account(application):
    stored = Application.objects.select_related("lead").get(pk=application.pk)
    return account_opening.open_account(stored, by=REVIEWER, at=NOON)


def test_the_business_is_what_the_lead_says(approved):
    application = approved(mailing_address={**ADDRESS, "line1": "PO Box 12", "line2": None})
    Lead.objects.update(incorporation_date=date(2019, 5, 1))
    make_complete_owner(application.lead, email="grace@example.com", ownership_percent="33.3333")

    account = open_account(application)

    business = Business.objects.get()
    lead = application.lead
    assert (business.legal_name, business.business_type) == (lead.business_name, "LLC")
    assert (business.email, business.incorporation_state) == (lead.email, "DE")
    assert business.incorporation_date == date(2019, 5, 1)
    assert (account.business, account.account_type) == (business, AccountType.MAIN_ACCOUNT)
    owners = BusinessOwner.objects.order_by("pk").values_list("email", "role", "ownership_percent")
    assert list(owners) == [
        (lead.email, BusinessOwnerRole.PRIMARY_OWNER, Decimal(60)),
        ("grace@example.com", BusinessOwnerRole.UBO, Decimal("33.33")),
    ]
    lines = BusinessAddress.objects.order_by("pk").values_list("kind", "line1", "line2", "country")
    assert list(lines) == [
        (AddressKind.REGISTERED, "1 Main Street", "", "US"),
        (AddressKind.OPERATIONAL, "1 Main Street", "", "US"),
        (AddressKind.MAILING, "PO Box 12", "", "US"),
    ]


def test_the_applicant_gets_a_sign_in_and_no_password(approved):
    application = approved()

    open_account(application)

    user = BusinessOwner.objects.get().user
    lead = application.lead
    assert (user.email, user.first_name, user.last_name) == (
        lead.email,
        lead.first_name,
        lead.last_name,
    )
    assert not user.has_usable_password()
    assert invited() == {"sign_in": "INVITED"}


def test_an_applicant_with_a_password_is_known(approved):
    application = approved()
    user = make_user(email=application.lead.email)
    user.set_password("copper-otter-9-lamp")
    user.save()

    open_account(application)

    assert BusinessOwner.objects.get().user == user
    assert invited() == {"sign_in": "KNOWN"}


@pytest.mark.parametrize("user_type", [UserType.STAFF, UserType.ACCOUNTANT])
def test_an_email_that_is_somebody_elses_is_told_to_staff_alone(approved, user_type):
    application = approved()
    make_user(email=application.lead.email, user_type=user_type)

    account = open_account(application)

    assert account.is_open
    assert BusinessOwner.objects.get().user is None
    assert invited() == {"sign_in": "TAKEN"}
    assert Event.objects.get(type=EventType.INVITED).sequence is None


def test_an_owner_without_a_role_gets_no_sign_in(approved):
    application = approved()
    make_complete_owner(application.lead, email="grace@example.com", role="")

    open_account(application)

    assert BusinessOwner.objects.get(email="grace@example.com").user is None
    assert not Mail.objects.exists()


def test_each_owner_with_a_role_is_invited_under_the_own_email(approved):
    application = approved()
    for name, role in (("grace", "PARTNER_FULL_ACCESS"), ("alan", "PARTNER")):
        make_complete_owner(
            application.lead,
            email=f"{name}@example.com",
            first_name=name.title(),
            role=role,
        )

    open_account(application)

    grace, alan = (User.objects.get(email=f"{name}@example.com") for name in ("grace", "alan"))
    assert (grace.first_name, grace.has_usable_password()) == ("Grace", False)
    assert grace.business_owner.business == alan.business_owner.business
    assert list(Mail.objects.order_by("pk").values_list("kind", "user")) == [
        (MailKind.OWNER_INVITATION, grace.pk),
        (MailKind.OWNER_INVITATION, alan.pk),
    ]
    ubo_id = application.lead.owners.get(email="grace@example.com").external_id
    invitations = Event.objects.filter(type=EventType.INVITED).order_by("pk")
    assert [event.details for event in invitations][:2] == [
        {"sign_in": "INVITED"},
        {"sign_in": "INVITED", "ubo_id": str(ubo_id)},
    ]


def test_an_owner_whose_email_is_in_use_is_not_mailed(approved):
    application = approved()
    make_user(email="grace@example.com", user_type=UserType.ACCOUNTANT)
    make_complete_owner(application.lead, email="grace@example.com", role="PARTNER_FULL_ACCESS")

    open_account(application)

    assert BusinessOwner.objects.get(email="grace@example.com").user is None
    assert Event.objects.filter(type=EventType.INVITED).last().details["sign_in"] == "TAKEN"
    assert not Mail.objects.exists()


def test_two_applications_with_one_email_share_no_sign_in(approved):
    first = approved()
    second = approved(email=first.lead.email)

    for application in (first, second):
        open_account(application)

    signing_in = BusinessOwner.objects.filter(user__isnull=False)
    assert signing_in.get().business == Application.objects.get(pk=first.pk).account.business
    assert Business.objects.count() == 2


def test_what_an_owner_holds_through_a_trust_is_counted_and_named(approved):
    application = approved(ownership_percent=60)
    lead = application.lead
    grace = make_complete_owner(lead, email="grace@example.com", ownership_percent=0)
    trust = Holder.objects.create(
        lead=lead, kind="TRUST", name="Harbor Trust", share_percent=40, created_at=NOON
    )
    Stake.objects.create(holder=trust, owner=grace, share_percent=Decimal(75))
    Stake.objects.create(holder=trust, share_percent=25)

    open_locked(application.pk)

    shares = BusinessOwner.objects.order_by("pk").values_list("ownership_percent", "held_through")
    assert list(shares) == [(70, "Harbor Trust"), (30, "Harbor Trust")]


def test_the_applicant_among_the_owners_is_one_person_by_the_larger_share(approved):
    application = approved()
    lead = application.lead
    make_complete_owner(lead, email=lead.email, ownership_percent=75)

    open_account(application)

    owner = BusinessOwner.objects.get()
    assert (owner.first_name, owner.ownership_percent) == (lead.first_name, 75)


@pytest.mark.parametrize(
    ("values", "states"),
    [
        ({}, ("DE", "")),
        ({"incorporation_state": ""}, ("", "NY")),
        ({"incorporation_state": "Bavaria", "business_address": {"state": "Île"}}, ("", "NY")),
        ({"incorporation_state": "", "business_address": {}, "state": "Bavaria"}, ("", "")),
    ],
)
def test_a_business_pays_taxes_in_a_state_of_the_country_or_in_none(approved, values, states):
    open_account(approved(**values))

    business = Business.objects.get()
    assert (business.incorporation_state, business.tax_state) == states


def test_facts_that_nobody_gave_are_not_made_up(approved):
    application = approved(duns="", mailing_address={})
    make_complete_owner(application.lead, email="grace@example.com", ownership_percent=None)

    open_account(application)

    business = Business.objects.get()
    assert (business.incorporation_date, business.filing_status) == (None, "")
    assert business.owners.get(email="grace@example.com").ownership_percent is None
    assert not business.addresses.filter(kind=AddressKind.MAILING).exists()
    assert not DunsRegistration.objects.exists()


def test_a_duns_number_that_the_partner_sent_is_recorded(approved):
    open_account(approved(duns="123456789"))

    registration = DunsRegistration.objects.get()
    assert (registration.number, registration.status) == ("123456789", DunsStatus.REPORTED)


def test_two_leads_with_one_duns_number_are_both_opened(approved):
    for email in ("one@example.com", "two@example.com"):
        open_account(approved(email=email, duns="123456789"))

    assert DunsRegistration.objects.count() == 2


def test_the_partner_is_told_of_the_account_but_not_its_number(approved):
    account = open_account(approved())

    event = Event.objects.get(type=EventType.ACCOUNT_OPENED)
    assert (event.sequence, event.role, event.who) == (1, Role.REVIEWER, "ada")
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

    details = Event.objects.get(type=EventType.ACCOUNT_OPENED).details
    assert (details["is_temp"], details["expiration_date"]) == (True, "2026-04-01")
    assert details["missing_documents"] == ["ARTICLES_OF_ORGANIZATION", "IRS_EIN_LETTER"]


def test_an_account_is_opened_once(approved):
    application = approved()

    account = open_account(application)

    assert open_account(application) == account
    assert Application.objects.get().account == account
    assert Account.objects.of_customers().count() == 2
    assert Event.objects.count() == 2


def test_of_several_openings_at_once_one_opens(transactional_db, in_threads):
    application = make_complete()
    Application.objects.update(status=Status.APPROVED)

    opened = in_threads(open_locked, [application.pk] * 4)

    assert len(set(opened)) == 1
    assert (Account.objects.of_customers().count(), User.objects.count()) == (2, 1)
    assert Event.objects.count() == 2


def test_applicants_of_one_email_are_opened_for_at_once(transactional_db, in_threads):
    first = make_complete()
    second = make_complete(email=first.lead.email)
    Application.objects.update(status=Status.APPROVED)

    in_threads(open_locked, [first.pk, second.pk])

    assert sorted(
        one.details["sign_in"] for one in Event.objects.filter(type=EventType.INVITED)
    ) == [
        "INVITED",
        "TAKEN",
    ]
    assert Application.objects.filter(account__isnull=False).count() == 2


def test_after_a_crash_nothing_is_left_and_the_next_try_opens_one(approved, monkeypatch):
    application = approved()
    with monkeypatch.context() as patched:
        patched.setattr(history, "record", fail)
        with pytest.raises(RuntimeError):
            open_account(application)
    assert not Business.objects.exists()
    assert not User.objects.exists()

    open_account(application)

    assert Account.objects.of_customers().count() == 2


def test_a_temporary_account_has_a_last_day_until_the_approval_is_final(approved):
    ends = date(2026, 4, 1)
    application = approved(status=Status.APPROVED_TEMPORARY, expiration_date=ends)
    open_account(application)
    dates = Account.objects.of_customers().values_list("end_date", flat=True)
    assert set(dates) == {ends}
    Application.objects.update(status=Status.APPROVED, expiration_date=None)

    account = open_account(application)

    assert account.end_date is None
    assert set(dates.all()) == {None}
    assert Event.objects.filter(type=EventType.ACCOUNT_OPENED).count() == 1


def end_account(application):
    stored = Application.objects.select_related("lead").get(pk=application.pk)
    return account_opening.end_account(stored, by=REVIEWER, at=later(days=1))


def test_an_empty_account_ends_with_its_approval(approved):
    application = approved(status=Status.APPROVED_TEMPORARY, expiration_date=date(2026, 4, 1))
    open_account(application)

    assert end_account(application) is Ending.CLOSED

    assert not Account.objects.of_customers().open().exists()
    event = Event.objects.latest("number")
    assert (event.type, event.details) == (EventType.NOTED, {"account": "CLOSED"})
    closed = Event.objects.filter(type=EventType.ACCOUNT_CLOSED)
    numbers = [
        {"account_number_masked": one.masked_number} for one in Account.objects.of_customers()
    ]
    assert [one.details for one in closed.order_by("number")] == numbers
    assert list(audit.find_faults()) == []


def test_an_account_with_money_is_left_for_staff_to_settle(approved):
    application = approved(status=Status.APPROVED_TEMPORARY, expiration_date=date(2026, 4, 1))
    make_transaction(open_account(application))

    assert end_account(application) is Ending.IN_USE

    assert Account.objects.of_customers().open().count() == 2
    assert Event.objects.latest("number").details == {"account": "IN_USE"}


def test_where_no_account_was_opened_none_ends(approved):
    assert end_account(approved(status=Status.DENIED)) is Ending.NONE

    assert not Event.objects.exists()
