"""Leads: registered once, merged, locked after submission, withdrawn."""

import pytest
from django.db import IntegrityError

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus
from onboarding.errors import Invalid
from onboarding.models import Application, Document, Lead, Owner
from onboarding.queries.leads import LeadNotFound
from onboarding.services.access import links
from onboarding.services.applications import attempts
from onboarding.services.documents.intake import Incoming
from onboarding.services.leads import registration
from onboarding.uploads import Upload
from tests.factories import NOON, PDF, later

EMAIL = "ada@example.com"
CLOSED = [Status.DENIED, Status.EXPIRED, Status.WITHDRAWN]
SUBMITTED = [Status.SUBMITTED, Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED, Status.IN_REVIEW]
APPROVED = [Status.APPROVED, Status.APPROVED_TEMPORARY]


@pytest.fixture
def partner(make_partner):
    return make_partner()


@pytest.fixture
def create(partner):
    def create(*, at=NOON, **details):
        return registration.create_lead(partner=partner, details={"email": EMAIL, **details}, at=at)

    return create


@pytest.fixture
def update(partner):
    def update(*, at=NOON, **details):
        return registration.update_lead(
            partner=partner, customer_id=customer_id(), details={"email": EMAIL, **details}, at=at
        )

    return update


def customer_id():
    return str(Lead.objects.get(email=EMAIL).external_id)


def incoming(content=PDF, **values):
    upload = Upload()
    upload.write(content)
    return Incoming(upload, **{"content_type": "application/pdf", "file_name": "a.pdf", **values})


@pytest.fixture(autouse=True)
def files(stored_files):
    return stored_files


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

    with pytest.raises(registration.UniqueIdInUse) as refused:
        create(email="eve@example.com", unique_id="crm-1")
    other = registration.create_lead(
        partner=make_partner(), details={"email": EMAIL, "unique_id": "crm-1"}, at=NOON
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


def test_answers_are_limited(create):
    answers = [{"question": str(number), "answer": "a"} for number in range(101)]

    with pytest.raises(Invalid) as refused:
        create(edd_answers=answers)

    assert [fault.pointer for fault in refused.value.faults] == ["/eddQuestionData"]


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

    with pytest.raises(registration.EmailImmutable):
        update(email="eve@example.com")


def test_a_unique_id_of_another_lead_is_refused(create, update):
    create()
    create(email="eve@example.com", unique_id="crm-1")

    with pytest.raises(registration.UniqueIdInUse):
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
        registration.update_lead(
            partner=make_partner(),
            customer_id=customer_id(),
            details={"email": EMAIL},
            at=NOON,
        )


@pytest.fixture
def upload(partner, create):
    create()

    def upload(*sent):
        return registration.upload_documents(
            partner=partner, customer_id=customer_id(), incoming=sent, at=NOON
        )

    return upload


def test_new_and_known_documents_come_back_in_their_order(upload, files):
    upload(incoming(b"%PDF-1.7 one"))

    _, attached = upload(incoming(b"%PDF-1.7 two"), incoming(b"%PDF-1.7 one"))

    assert [one.is_duplicate for one in attached] == [False, True]
    assert len(files()) == Document.objects.count() == 2


def test_only_a_new_document_is_an_update_of_the_lead(upload):
    Lead.objects.update(updated_at=NOON)
    upload(incoming())
    first = Lead.objects.get().updated_at
    upload(incoming())

    assert NOON < first == Lead.objects.get().updated_at


@pytest.mark.parametrize("status", CLOSED)
def test_a_closed_application_takes_no_documents(upload, status, files):
    Application.objects.update(status=status)

    with pytest.raises(attempts.ApplicationClosed):
        upload(incoming())

    assert files() == []


@pytest.mark.parametrize("status", [*SUBMITTED, *APPROVED])
def test_a_submitted_application_takes_documents(upload, status):
    Application.objects.update(status=status)

    assert upload(incoming())[1][0].is_duplicate is False


def test_an_integrity_error_that_is_no_race_is_not_hidden(create, monkeypatch, files):
    def fail(*_rows):
        raise IntegrityError("some other constraint")

    monkeypatch.setattr(registration, "insert", fail)

    with pytest.raises(IntegrityError):
        create(owners=[{"email": "o@example.com"}], documents=[incoming()])

    assert not Lead.objects.exists()
    assert files() == []
