"""Update a lead."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Lead, Owner
from onboarding.queries.leads import LeadNotFound
from onboarding.services.applications import attempts
from onboarding.services.leads import amendments
from onboarding.services.leads.changes import UniqueIdInUse
from tests.factories import NOON
from tests.onboarding.services.file_stores import write
from tests.onboarding.services.leads.values import EMAIL, customer_id, incoming

CLOSED = [Status.DENIED, Status.EXPIRED, Status.WITHDRAWN]
SUBMITTED = [Status.SUBMITTED, Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED, Status.IN_REVIEW]
APPROVED = [Status.APPROVED, Status.APPROVED_TEMPORARY]


def test_what_changed_is_named_as_the_contract_names_it(create, update):
    create(first_name="Ada", city="Paris", edd_answers=[{"question": "Why?", "answer": "A"}])

    amended = update(
        first_name=None, city="Paris", phone_number="+12025550123",
        owners=[{"email": "o@example.com"}], documents=[incoming()],
        edd_answers=[{"question": "Why?", "answer": "B"}],
    )  # fmt: skip

    assert amended.changed == [
        "documentDataList", "eddQuestionData", "firstName", "phoneNumber", "uboList",
    ]  # fmt: skip
    lead = Lead.objects.get()
    assert (lead.first_name, lead.city, lead.phone_number) == ("", "Paris", "+12025550123")


def test_the_same_again_changes_nothing(create, update):
    details = {"city": "Paris", "owners": [{"email": "o@example.com", "ssn": "1"}]}
    create(**details, documents=[incoming()])
    before = [Lead.objects.values().get(), Owner.objects.values().get()]

    amended = update(**details)

    assert amended.changed == []
    assert [Lead.objects.values().get(), Owner.objects.values().get()] == before


@pytest.mark.parametrize(
    "news",
    [
        lambda: {"city": "Boston"},
        lambda: {"owners": [{"email": "o@example.com", "title": "CEO"}]},
        lambda: {"owners": [{"email": "new@example.com"}]},
        lambda: {"documents": [incoming()]},
        lambda: {"document_urls": ["https://files.example.com/a.pdf"]},
    ],
)
def test_every_change_shows_in_when_the_lead_was_updated(create, update, news):
    create(owners=[{"email": "o@example.com"}])
    Lead.objects.update(updated_at=NOON)

    update(**news())

    assert Lead.objects.get().updated_at > NOON


def test_an_update_overrides_the_applicant(create, update):
    create(city="Paris")
    Lead.objects.update(city="Boston", supplied_by={"city": "APPLICANT"})

    update(city="Paris")

    assert (Lead.objects.get().city, Lead.objects.get().supplied_by) == ("Paris", {})


def test_a_cleared_number_is_found_no_more(create, update):
    create(ssn="123456789", ein="123456789")

    update(ssn=None, ein=None)

    lead = Lead.objects.get()
    assert (lead.ssn, lead.ssn_index, lead.ein, lead.ein_index) == ("", "", "", "")


def test_the_email_never_changes(create, update):
    create()

    with pytest.raises(amendments.EmailImmutable):
        update(email="eve@example.com")


def test_a_unique_id_of_another_lead_is_refused(create, update):
    create()
    create(email="eve@example.com", unique_id="crm-1")

    with pytest.raises(UniqueIdInUse):
        update(unique_id="crm-1", city="Paris")

    assert Lead.objects.get(email=EMAIL).city == ""


def test_a_unique_id_may_be_given_up_and_taken(create, update):
    create(unique_id="crm-1")
    update(unique_id=None)
    create(email="eve@example.com", unique_id="crm-1")

    assert Lead.objects.get(unique_id="crm-1").email == "eve@example.com"


@pytest.mark.parametrize("status", [*SUBMITTED, *APPROVED])
def test_after_submission_only_additions_are_taken(create, update, status):
    create(city="Paris", business_type="LLC")
    Application.objects.update(status=status)

    amended = update(
        city="Paris", metadata={"a": "b"}, edd_answers=[{"question": "Why?", "answer": "A"}],
        documents=[incoming()],
    )  # fmt: skip

    assert amended.changed == ["documentDataList", "eddQuestionData", "metadata"]


def test_after_submission_each_refused_field_is_named_and_nothing_applied(create, update, files):
    create(
        city="Paris", line1="1 Main Street", state="NY", postal_code="10001", last_name="Example"
    )
    update(owners=[{"email": "o@example.com"}])
    Application.objects.update(status=Status.IN_REVIEW)
    before = [Lead.objects.values().get(), Owner.objects.values().get()]

    with pytest.raises(attempts.LeadLocked) as refused:
        update(
            city="Boston", last_name=None, first_name="Ada", metadata={"a": "b"},
            owners=[{"email": "new@example.com"}], documents=[incoming()],
        )  # fmt: skip

    assert [fault.pointer for fault in refused.value.faults] == [
        "/city", "/lastName", "/uboList",
    ]  # fmt: skip
    assert [Lead.objects.values().get(), Owner.objects.values().get()] == before
    assert files() == []


def test_after_submission_an_owner_may_get_what_is_asked_for(create, update):
    create(owners=[{"email": "o@example.com", "title": "CEO"}])
    Application.objects.update(status=Status.DOCUMENTS_REQUIRED)

    amended = update(owners=[{"email": "o@example.com", "first_name": "Olga"}])
    with pytest.raises(attempts.LeadLocked):
        update(owners=[{"email": "o@example.com", "title": "CTO"}])

    assert amended.changed == ["uboList"]
    assert Owner.objects.get().first_name == "Olga"


@pytest.mark.parametrize("status", CLOSED)
def test_a_closed_application_takes_no_update(create, update, status, files):
    create()
    Application.objects.update(status=status)

    with pytest.raises(attempts.ApplicationClosed):
        update(documents=[incoming()])

    assert files() == []


def test_another_partners_lead_is_not_found(create, make_partner):
    create()

    with pytest.raises(LeadNotFound):
        write(
            amendments.update_lead,
            partner=make_partner(),
            customer_id=customer_id(),
            details={"email": EMAIL},
            at=NOON,
        )
