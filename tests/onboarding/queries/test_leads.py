"""A partner's leads: one, all that belongs to it, and the search."""

import uuid

import pytest
from django.db import transaction

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Lead, Owner
from onboarding.queries import leads
from onboarding.services.leads import registration
from tests.factories import NOON, later
from tests.onboarding.services.file_stores import write


@pytest.fixture
def partner(make_partner):
    return make_partner()


@pytest.fixture
def register(partner, make_lead, make_application):
    """Add a lead of the partner; values of its application come by the name `application`."""

    def register(*, application=None, **values):
        return make_application(make_lead(partner, **values), **(application or {}))

    return register


def found(partner, **filters):
    return [
        application.lead.email
        for application in leads.search_applications(partner=partner, **filters)
    ]


def test_the_current_attempt_is_the_one(partner, register):
    first = register(application={"is_current": False, "status": Status.WITHDRAWN})
    second = Application.objects.create(
        lead=first.lead, attempt=2, created_at=NOON, status_changed_at=NOON,
        link_digest="2", link_expires_at=NOON, token_digest="2", token_expires_at=NOON,
    )  # fmt: skip

    current = leads.get_current_application(
        partner=partner, customer_id=str(first.lead.external_id)
    )

    assert current == second


@pytest.mark.parametrize("customer_id", ["", "1", "\0", "é", "x" * 5000, str(uuid.UUID(int=1))])
@pytest.mark.parametrize("look", [leads.get_current_application, leads.lock_current_application])
def test_an_id_of_no_lead_is_not_found(partner, register, customer_id, look):
    register()

    with pytest.raises(leads.LeadNotFound), transaction.atomic():
        look(partner=partner, customer_id=customer_id)


def test_another_partners_lead_is_not_found(make_partner, register):
    customer_id = str(register().lead.external_id)

    with pytest.raises(leads.LeadNotFound):
        leads.get_lead_file(partner=make_partner(), customer_id=customer_id)


def test_a_lead_file_holds_everything_of_the_lead(partner, register, make_owner, make_document):
    application = register(business_type="LLC")
    register()
    owners = [make_owner(application.lead), make_owner(application.lead)]
    document = make_document(application.lead, llc_file_type="ARTICLES_OF_ORGANIZATION")

    file = leads.get_lead_file(partner=partner, customer_id=str(application.lead.external_id))

    assert file.application == application
    assert file.owners == owners
    assert file.documents == [document]
    missing = [item.code for item in file.requirements if item.accepted_types]
    assert missing == ["EIN_PROOF_MISSING"]


@pytest.mark.parametrize("number", [0, 7])
def test_a_lead_file_costs_four_statements_whatever_is_in_it(
    partner, register, make_owner, make_document, django_assert_num_queries, number
):
    application = register(business_type="LLC")
    for _ in range(number):
        make_owner(application.lead)
        make_document(application.lead)

    with django_assert_num_queries(4):
        leads.get_lead_file(partner=partner, customer_id=str(application.lead.external_id))


def test_the_search_finds_the_newest_first(partner, make_application, register):
    register(email="first@example.com")
    register(email="second@example.com")
    make_application()

    assert found(partner) == ["second@example.com", "first@example.com"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"status": "IN_REVIEW"}, ["eve@example.com"]),
        ({"status": "DENIED"}, []),
        ({"email": "ADA@Example.com"}, ["ada@example.com"]),
        ({"email": "ada"}, []),
        ({"unique_id": "crm-1"}, ["ada@example.com"]),
        ({"unique_id": "CRM-1"}, []),
        ({"status": "CREATED", "unique_id": "crm-1"}, ["ada@example.com"]),
        ({"status": "CREATED", "email": "eve@example.com"}, []),
    ],
)
def test_each_filter_narrows_the_search(partner, register, filters, expected):
    register(email="ada@example.com", unique_id="crm-1")
    register(email="eve@example.com", application={"status": Status.IN_REVIEW})

    assert found(partner, **filters) == expected


def test_a_later_page_begins_after_the_last_lead_of_the_page_before(partner, register):
    first, second, third = (register(email=f"{name}@example.com") for name in "abc")

    assert found(partner, before=third.lead_id) == ["b@example.com", "a@example.com"]
    assert found(partner, before=second.lead_id) == ["a@example.com"]
    assert found(partner, before=first.lead_id) == []


def test_a_change_of_the_lead_or_of_its_status_is_an_update(partner, register):
    register(email="old@example.com")
    register(email="changed@example.com")
    register(email="moved@example.com", application={"status_changed_at": later(hours=2)})
    Lead.objects.update(updated_at=NOON)
    Lead.objects.filter(email="changed@example.com").update(updated_at=later(hours=1))

    assert found(partner, updated_since=later(hours=2)) == ["moved@example.com"]
    assert found(partner, updated_since=later(hours=1)) == [
        "moved@example.com",
        "changed@example.com",
    ]


def test_an_earlier_attempt_is_not_listed(partner, register):
    register(application={"is_current": False})

    assert found(partner) == []


def test_a_locked_look_up_never_misses_the_attempt_that_replaces_the_one_it_waits_for(
    in_threads, make_partner, make_lead, make_application
):
    partner = make_partner()
    lead = make_lead(partner)
    make_application(lead, status=Status.WITHDRAWN)

    def reopen_or_look(number):
        if number == 0:
            return write(
                registration.create_lead, partner=partner, details={"email": lead.email}, at=NOON
            )
        with transaction.atomic():
            return leads.lock_current_application(
                partner=partner, customer_id=str(lead.external_id)
            )

    results = in_threads(reopen_or_look, range(8))

    assert not [result for result in results if isinstance(result, Exception)]


def test_the_applicant_controls_the_business_where_nobody_is_marked(register, make_owner):
    application = register()
    owner = make_owner(application.lead)

    unmarked = leads.open_lead_file(application).control_person
    Owner.objects.filter(pk=owner.pk).update(is_control_person=True)
    marked = leads.open_lead_file(application).control_person

    assert (unmarked, marked) == (application.lead, owner)
