"""Requested changes: nothing changes before the decision, and everything with it."""

from decimal import Decimal

import pytest
from django.db import connection, transaction

from banking.choices import AddressKind
from banking.models import BusinessAddress, User
from onboarding.choices import ReviewCause, RunCause
from onboarding.errors import ErrorCode, Invalid
from onboarding.event_types import EventType, MailKind
from onboarding.models import CheckRun, Customer, CustomerCase, Lead, Mail, Owner
from onboarding.queries import audit
from onboarding.services.customers import case_claims, case_steps, changes
from onboarding.services.customers.changes import ChangeLimitReached, ChangeTooEarly
from onboarding.services.customers.outcomes import ChangeImpossible
from onboarding.services.customers.reviews import lock_customer
from onboarding.services.events.history import APPLICANT, PARTNER
from onboarding.services.mails import mail_texts
from tests.factories import NOON, later
from tests.onboarding.customers import (
    cases_of,
    events_of,
    make_customer,
    owner_of,
    owners_of,
    reload,
    types_of,
)
from tests.onboarding.services.leads.test_submissions import ADDRESS, make_complete_owner

pytestmark = pytest.mark.django_db
MOVED = {**ADDRESS, "line1": "4 Compiler Avenue"}
GRACE = {
    "email": "grace@example.com",
    "first_name": "Grace",
    "last_name": "Example",
    "ownership_percent": Decimal("25.0000"),
    "ssn": "223456789",
    "role": "PARTNER",
}


@pytest.fixture
def customer():
    return make_customer()


def ask(customer, by=PARTNER, user=None, language="", **details):
    who = {"by": by, "user": user, "language": language}
    with transaction.atomic():
        locked = lock_customer(customer)
        return changes.request_change(locked, details, text="Why", **who, at=NOON)


def approve(case, *, by, second=None):
    case_claims.claim(case, by=by, at=NOON)
    decided = case_steps.decide(case, "CHANGE_APPROVED", reason="Shown.", by=by, at=NOON)
    if second:
        case_steps.confirm(decided, by=second, at=NOON)


def test_a_request_changes_nothing_yet(customer):
    case = ask(customer, business_address=MOVED, phone_number="+12025550188")

    assert case.changed == ["businessAddress", "phoneNumber"]
    assert (case.opened_as, case.causes[0]["cause"]) == ("PARTNER", ReviewCause.REQUESTED)
    assert Lead.objects.get(pk=customer.lead_id).business_address == customer.lead.business_address
    assert types_of(customer) == [EventType.CUSTOMER_CASE_OPENED]
    assert events_of(customer)[0][1]["changed"] == ["businessAddress", "phoneNumber"]


def test_an_approved_address_and_number_reach_the_lead_and_the_banks_records(customer, ada):
    case = ask(customer, business_address=MOVED, phone_number="+12025550188")

    approve(case, by=ada)

    lead, business = Lead.objects.get(pk=customer.lead_id), reload(customer.business)
    assert (lead.business_address["line1"], lead.phone_number) == (MOVED["line1"], "+12025550188")
    assert business.phone_number == "+12025550188"
    addresses = BusinessAddress.objects.filter(business=business).values_list("kind", "line1")
    assert dict(addresses)[AddressKind.REGISTERED] == MOVED["line1"]
    assert dict(addresses)[AddressKind.OPERATIONAL] == MOVED["line1"]
    assert events_of(customer)[-2] == (
        EventType.CUSTOMER_CHANGED,
        {"change_id": str(case.external_id), "changed_fields": case.changed},
    )
    assert CheckRun.objects.get().cause == RunCause.ANSWERED
    assert list(audit.find_faults()) == []


def test_a_mailing_address_that_is_cleared_leaves_the_banks_records(ada):
    customer = make_customer(mailing_address={**ADDRESS, "line1": "PO Box 12"})
    addresses = BusinessAddress.objects.filter(business=customer.business)
    assert addresses.filter(kind=AddressKind.MAILING).exists()

    approve(ask(customer, mailing_address=None), by=ada)

    assert {address.kind for address in addresses} == {
        AddressKind.REGISTERED,
        AddressKind.OPERATIONAL,
    }
    assert addresses.first().line1 == ADDRESS["line1"]


def test_a_significant_change_opens_a_review_and_a_phone_number_none(customer, ada):
    approve(ask(customer, phone_number="+12025550188"), by=ada)
    assert len(cases_of(customer)) == 1

    approve(ask(customer, business_address=MOVED), by=ada)

    review = cases_of(customer)[-1]
    assert review.is_review
    assert review.causes[0]["cause"] == ReviewCause.DATA_CHANGED


@pytest.mark.django_db(transaction=True)
def test_two_people_let_an_owner_in_who_is_invited_to_sign_in(customer, ada, bob):
    case = ask(customer, owners=[GRACE], ownership_percent=Decimal(60))

    approve(case, by=ada)
    assert reload(case).status == "PROPOSED"
    assert not Owner.objects.exists()
    case_steps.confirm(case, by=bob, at=later(minutes=5))

    grace = Owner.objects.get()
    assert (grace.ssn, grace.ownership_percent) == ("223456789", Decimal(25))
    shares = dict(owners_of(customer).values_list("email", "ownership_percent"))
    assert shares == {customer.lead.email: Decimal(60), "grace@example.com": Decimal(25)}
    assert User.objects.filter(email="grace@example.com").exists()
    assert list(audit.find_faults()) == []


def test_the_person_who_asked_for_a_change_does_not_approve_it_alone(customer, ada, bob):
    asked = {"text": "They called.", "by": ada, "at": NOON}
    case = changes.request_by_staff(customer, {"phone_number": "+12025550188"}, **asked)
    other = changes.request_by_staff(customer, {"business_address": MOVED}, **asked)

    approve(case, by=ada)
    approve(other, by=bob)

    assert reload(case).status == "PROPOSED"
    assert reload(other).status == "CLOSED"
    assert Lead.objects.get(pk=customer.lead_id).phone_number != "+12025550188"


@pytest.mark.parametrize(
    "details", [{"last_name": "Smith"}, {"ownership_percent": Decimal(26)}], ids=str
)
def test_name_and_share_of_the_applicant_who_is_an_owner_take_two_people(customer, ada, details):
    case = ask(customer, **details)

    approve(case, by=ada)

    assert reload(case).status == "PROPOSED"


@pytest.mark.django_db(transaction=True)
def test_an_owner_who_is_removed_cannot_sign_in(customer, ada, bob):
    approve(ask(customer, owners=[GRACE]), by=ada, second=bob)
    grace = Owner.objects.get()

    approve(ask(customer, removed_ubo_ids=[str(grace.external_id)]), by=ada, second=bob)

    assert not Owner.objects.exists()
    assert list(owners_of(customer).values_list("email", flat=True)) == [customer.lead.email]
    assert not hasattr(User.objects.get(email="grace@example.com"), "business_owner")
    assert list(audit.find_faults()) == []


@pytest.mark.django_db(transaction=True)
def test_another_name_takes_two_people(customer, ada, bob):
    approve(ask(customer, business_name="Harbor Bakery LLC"), by=ada, second=bob)

    assert reload(customer.business).legal_name == "Harbor Bakery LLC"
    assert Lead.objects.get(pk=customer.lead_id).business_name == "Harbor Bakery LLC"


def test_a_denial_is_told_with_its_reason(customer, ada):
    case = ask(customer, business_address=MOVED)
    case_claims.claim(case, by=ada, at=NOON)

    case_steps.decide(
        case, "CHANGE_DENIED", denial_reason="NOT_PROVEN", reason="No bill.", by=ada, at=NOON
    )

    denied = {"change_id": str(case.external_id), "change_denial_reason": "NOT_PROVEN"}
    assert events_of(customer)[-1] == (EventType.CUSTOMER_CHANGE_DENIED, denied)
    assert Lead.objects.get(pk=customer.lead_id).business_address == customer.lead.business_address


def test_a_change_that_changes_nothing_is_refused(customer):
    with pytest.raises(Invalid) as caught:
        ask(customer, business_address=customer.lead.business_address)

    assert caught.value.faults[0].code is ErrorCode.CHANGE_EMPTY
    assert not CustomerCase.objects.exists()


def test_a_personal_number_counts_as_changed_equal_or_not(customer):
    assert ask(customer, passport_number="X12345678").changed == ["passportNumber"]
    make_complete_owner(customer.lead, email="grace@example.com")

    same = {"email": "grace@example.com", "ssn": "223456789"}
    assert ask(customer, owners=[same]).changed == ["uboList"]


def test_numbers_of_a_request_are_encrypted(customer):
    ask(customer, owners=[GRACE])

    with connection.cursor() as cursor:
        cursor.execute("SELECT content FROM onboarding_customercase")
        assert "223456789" not in cursor.fetchone()[0]


def test_shares_of_more_than_all_are_refused(customer):
    with pytest.raises(Invalid) as caught:
        ask(customer, owners=[{**GRACE, "ownership_percent": Decimal(90)}])

    assert caught.value.faults[0].code is ErrorCode.OWNERSHIP_TOTAL_EXCEEDED


def test_an_owner_of_another_lead_cannot_be_removed(customer):
    other = make_complete_owner(make_customer().lead)

    with pytest.raises(Invalid) as caught:
        ask(customer, removed_ubo_ids=[str(other.external_id)])

    assert caught.value.faults[0].code is ErrorCode.OWNER_NOT_FOUND


@pytest.mark.django_db(transaction=True)
def test_what_does_not_go_together_any_more_is_not_made(customer, ada, bob):
    Lead.objects.update(ownership_percent=Decimal(50))
    case = ask(customer, ownership_percent=Decimal(60))
    make_complete_owner(customer.lead, ownership_percent=Decimal(50))

    with pytest.raises(ChangeImpossible, match="100 percent"):
        approve(case, by=ada, second=bob)

    assert reload(case).status == "PROPOSED"


def test_at_most_five_changes_wait(customer):
    for number in range(5):
        ask(customer, phone_number=f"+1202555018{number}")

    with pytest.raises(ChangeLimitReached):
        ask(customer, phone_number="+12025550199")


def test_a_closed_customer_is_not_changed(customer):
    Customer.objects.update(status="CLOSED", closed_at=NOON, review_due_on=None)

    with pytest.raises(ChangeTooEarly):
        ask(customer, phone_number="+12025550199")


def deny(case, *, by):
    case_claims.claim(case, by=by, at=NOON)
    denied = {"denial_reason": "NOT_PROVEN", "reason": "No bill."}
    case_steps.decide(case, "CHANGE_DENIED", **denied, by=by, at=NOON)


def mails_about_changes():
    """Return the kind, user and language of each mail about a decision."""
    found = Mail.objects.filter(kind__startswith="CHANGE_").order_by("pk")
    return [(mail.kind, mail.user, mail.language) for mail in found]


def test_the_owner_who_asked_is_mailed_in_their_language(customer, ada):
    who = {"by": APPLICANT, "user": owner_of(customer).user, "language": "es"}
    made = ask(customer, **who, phone_number="+12025550188")
    denied = ask(customer, **who, business_address=MOVED)

    approve(made, by=ada)
    deny(denied, by=ada)

    assert mails_about_changes() == [
        (MailKind.CHANGE_MADE, who["user"], "es"),
        (MailKind.CHANGE_DENIED, who["user"], "es"),
    ]
    first, second = (
        mail_texts.compose(mail, at=later(minutes=1)).body
        for mail in Mail.objects.filter(kind__startswith="CHANGE_").order_by("pk")
    )
    assert "- Datos de un propietario" in first
    assert "- Dirección de la empresa" in second


def test_partners_and_staff_are_not_mailed(customer, ada, bob):
    asked = {"text": "They called.", "by": bob, "at": NOON}
    approve(ask(customer, phone_number="+12025550188"), by=ada)
    deny(changes.request_by_staff(customer, {"business_address": MOVED}, **asked), by=ada)

    assert not mails_about_changes()
