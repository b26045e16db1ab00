"""Create a lead, merge into it, and preview it."""

import pytest
from django.db import IntegrityError

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus
from onboarding.errors import Invalid
from onboarding.models import Application, Document, Lead, Owner
from onboarding.services.access import links
from onboarding.services.applications import attempts
from onboarding.services.leads import registration
from onboarding.services.leads.changes import UniqueIdInUse
from tests.factories import NOON, later
from tests.onboarding.services.file_stores import write
from tests.onboarding.services.leads.values import EMAIL, incoming

CLOSED = [Status.DENIED, Status.EXPIRED, Status.WITHDRAWN]
SUBMITTED = [Status.SUBMITTED, Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED, Status.IN_REVIEW]
APPROVED = [Status.APPROVED, Status.APPROVED_TEMPORARY]


def test_a_lead_its_owners_and_its_documents_are_made(create, files):
    made = create(
        first_name="Ada", ssn="123456789", unique_id="crm-1",
        owners=[{"email": "o@example.com"}], documents=[incoming()],
        document_urls=["https://files.example.com/a.pdf"],
    )  # fmt: skip

    lead = Lead.objects.get()
    assert made.application.lead == lead
    assert (lead.first_name, lead.ssn, lead.unique_id) == ("Ada", "123456789", "crm-1")
    assert lead.owners.get() == made.owners[0]
    assert set(lead.documents.values_list("status", flat=True)) == {
        DocumentStatus.PENDING, DocumentStatus.RECEIVED,
    }  # fmt: skip
    assert len(files()) == 1
    assert (made.application.status, made.application.attempt) == (Status.CREATED, 1)
    assert made.kept == []


def test_the_way_in_is_given_and_only_its_digests_are_stored(create, settings):
    access = create().access

    application = Application.objects.get()
    assert access.location == f"{settings.BASE_URL}/apply/{links.derive_link(application)}"
    assert access.location_expires_at == later(days=30)
    assert access.token_expires_at == later(minutes=60)
    stored = str(Application.objects.values().get())
    assert access.token not in stored
    assert access.location.rpartition("/")[2] not in stored


def test_a_repeat_keeps_every_id_and_the_link_and_renews_the_token(create):
    first = create(owners=[{"email": "o@example.com"}])
    second = create(at=later(hours=1), owners=[{"email": "o@example.com"}])

    assert second.application == first.application
    assert second.owners == first.owners
    assert second.access.location == first.access.location
    assert second.access.token != first.access.token
    assert second.access.location_expires_at == later(hours=1, days=30)


def test_none_is_the_same_as_absent(create):
    create(first_name="Ada", metadata={"a": "b"}, owners=[{"email": "o@example.com"}])
    create(first_name=None, metadata=None, owners=None, documents=None, document_urls=None)

    lead = Lead.objects.get()
    assert (lead.first_name, lead.metadata, lead.owners.count()) == ("Ada", {"a": "b"}, 1)


def test_what_the_applicant_changed_is_kept_and_named_by_its_path(create):
    create(city="Paris", owners=[{"email": "o@example.com", "title": "CEO"}])
    Lead.objects.update(city="Boston", supplied_by={"city": "APPLICANT"})
    Owner.objects.update(title="Founder", supplied_by={"title": "APPLICANT"})

    made = create(city="Paris", state="MA", owners=[{"email": "o@example.com", "title": "CEO"}])

    lead = Lead.objects.get()
    assert made.kept == [("city",), ("uboList", 0, "title")]
    assert (lead.city, lead.state, lead.owners.get().title) == ("Boston", "MA", "Founder")
    assert lead.supplied_by == {"city": "APPLICANT"}


def test_the_applicant_goes_on_where_they_are(create):
    create()
    Application.objects.update(status=Status.IN_PROGRESS)

    assert create().application.status == Status.IN_PROGRESS


@pytest.mark.parametrize("status", [Status.EXPIRED, Status.WITHDRAWN])
def test_after_the_end_of_an_attempt_another_begins(create, status):
    first = create(city="Paris")
    Application.objects.update(status=status)

    second = create(at=later(days=40))

    assert second.application.lead == first.application.lead
    assert second.application.attempt == 2
    assert second.application.status == Status.CREATED
    assert second.application.created_at == later(days=40)
    assert second.access.location != first.access.location
    assert list(Application.objects.filter(is_current=True)) == [second.application]
    assert Application.objects.get(attempt=1).status == status
    assert Lead.objects.get().city == "Paris"


def test_attempts_are_counted_on(create):
    create()
    for attempt in range(2, 5):
        Application.objects.filter(is_current=True).update(status=Status.WITHDRAWN)

        assert create().application.attempt == attempt


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        *((status, attempts.LeadLocked) for status in SUBMITTED),
        *((status, attempts.CustomerAlreadyOnboarded) for status in APPROVED),
        (Status.DENIED, attempts.ApplicationClosed),
    ],
)
def test_a_submitted_application_is_left_alone(create, status, refusal, files):
    create(city="Paris")
    Application.objects.update(status=status)
    before = Application.objects.values().get()

    with pytest.raises(refusal):
        create(city="Boston", owners=[{"email": "o@example.com"}], documents=[incoming()])

    assert Application.objects.values().get() == before
    assert (Lead.objects.get().city, Owner.objects.count(), files()) == ("Paris", 0, [])


def test_a_unique_id_belongs_to_one_email_of_a_partner(create, make_partner):
    first = create(unique_id="crm-1")

    with pytest.raises(UniqueIdInUse) as refused:
        create(email="eve@example.com", unique_id="crm-1")
    other = write(
        registration.create_lead,
        partner=make_partner(),
        details={"email": EMAIL, "unique_id": "crm-1"},
        at=NOON,
    )

    assert refused.value.faults[0].pointer == "/uniqueId"
    assert set(Lead.objects.filter(unique_id="crm-1")) == {
        first.application.lead, other.application.lead,
    }  # fmt: skip
    assert Lead.objects.count() == 2


def test_what_does_not_fit_what_is_stored_is_refused_with_nothing_changed(create, files):
    create(ownership_percent=60, country="US", owners=[{"email": "o@example.com"}])

    with pytest.raises(Invalid) as refused:
        create(
            state="Hessen",
            owners=[
                {"email": "new@example.com", "address": {"state": "Hessen"}},
                {"email": "o@example.com", "ownership_percent": 41},
            ],
            documents=[incoming()],
        )

    assert {fault.pointer for fault in refused.value.faults} == {
        "/state", "/uboList", "/uboList/0/address/state",
    }  # fmt: skip
    assert Owner.objects.get().ownership_percent is None
    assert files() == []


@pytest.fixture
def preview(partner):
    def preview(**details):
        return registration.preview_lead(
            partner=partner, details={"email": EMAIL, **details}, at=NOON
        )

    return preview


def test_a_preview_leaves_no_row_and_no_file(preview, files):
    file = preview(
        business_type="LLC", owners=[{"email": "o@example.com"}],
        documents=[incoming(llc_file_type="SS4_DOCUMENT")],
        document_urls=["https://files.example.com/a.pdf"],
    )  # fmt: skip

    assert [document.llc_file_type for document in file.documents][-1] == "SS4_DOCUMENT"
    assert [item.code for item in file.requirements if item.accepted_types] == [
        "ARTICLES_OF_ORGANIZATION_MISSING"
    ]
    for model in (Lead, Application, Owner, Document):
        assert not model.objects.exists()
    assert files() == []


def test_a_preview_leaves_a_stored_lead_as_it_is(create, preview, files):
    create(city="Paris", owners=[{"email": "o@example.com"}], documents=[incoming()])
    before = [list(model.objects.values()) for model in (Lead, Application, Owner, Document)]

    file = preview(
        city="Boston", owners=[{"email": "p@example.com"}], documents=[incoming(b"other")]
    )

    assert (file.application.lead.city, len(file.owners), len(file.documents)) == (
        "Boston",
        2,
        2,
    )
    after = [list(model.objects.values()) for model in (Lead, Application, Owner, Document)]
    assert after == before
    assert len(files()) == 1


def test_a_preview_leaves_the_way_in_as_it_is(create, preview):
    access = create().access

    preview()

    stored = Application.objects.get()
    assert stored.token_digest == links.digest(access.token)


def test_a_preview_refuses_what_a_create_would_refuse(create, preview):
    create(unique_id="crm-1")

    with pytest.raises(registration.UniqueIdInUse):
        preview(email="eve@example.com", unique_id="crm-1")


def test_an_integrity_error_that_is_no_race_is_not_hidden(create, monkeypatch, files):
    def fail(*_rows):
        raise IntegrityError("some other constraint")

    monkeypatch.setattr(registration, "insert", fail)

    with pytest.raises(IntegrityError):
        create(owners=[{"email": "o@example.com"}], documents=[incoming()])

    assert not Lead.objects.exists()
    assert files() == []
