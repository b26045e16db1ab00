"""Update: merges, clears, locks."""

import uuid

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus
from onboarding.models import Application, Document, Lead
from tests.factories import document_data, lead_body
from tests.onboarding.conftest import codes

EMAIL = "ada@example.com"


@pytest.fixture
def customer_id(api):
    return api.create(**lead_body())["customerId"]


@pytest.fixture
def update(api, customer_id):
    def update(**values):
        return api.post(f"lead/{customer_id}", {"email": EMAIL, **values})

    return update


def test_absent_is_kept_and_null_is_cleared(update):
    response = update(firstName=None, lastName="Lovelace", ssn=None, ownershipPercent=None)

    assert response.status_code == 200, response.content
    answer = response.json()
    assert answer["updatedFields"] == ["firstName", "lastName", "ownershipPercent", "ssn"]
    assert "location" not in answer
    assert "token" not in answer
    lead = Lead.objects.get()
    assert (lead.first_name, lead.last_name, lead.city) == ("", "Lovelace", "New York")
    assert (lead.ssn, lead.ssn_index, lead.ownership_percent) == ("", "", None)


def test_what_is_the_same_is_no_change(update):
    body = lead_body()
    del body["documentDataList"]

    assert update(**body).json()["updatedFields"] == []


def test_addresses_merge_key_by_key(update):
    update(businessAddress={"city": "Reston", "line2": None})

    address = Lead.objects.get().business_address
    assert (address["city"], address["line1"]) == ("Reston", "2 Cobol Street")
    assert "line2" not in address


def test_an_address_is_judged_by_the_country_that_is_stored(update):
    assert update(country="DE", state="Bayern", postalCode="D-80331").status_code == 200
    assert update(state="Hessen").status_code == 200

    response = update(country="US")

    assert codes(response) == {"/state": "INVALID_STATE", "/postalCode": "INVALID_POSTAL_CODE"}


def test_owners_are_added_and_changed_by_email(update):
    before = {owner.email: owner.external_id for owner in Lead.objects.get().owners.all()}

    response = update(
        uboList=[
            {"email": "GRACE@example.com", "title": "CTO", "address": {"city": "Reston"}},
            {"email": "new@example.com", "ssn": "323-45-6789"},
        ]
    )

    assert response.json()["updatedFields"] == ["uboList"]
    owners = {owner.email: owner for owner in Lead.objects.get().owners.all()}
    assert set(owners) == {*before, "new@example.com"}
    assert owners["grace@example.com"].external_id == before["grace@example.com"]
    assert owners["grace@example.com"].address["line1"] == "2 Cobol Street"
    assert owners["grace@example.com"].ssn == "223456789"
    assert owners["new@example.com"].ssn_index != ""


def test_an_owner_needs_an_email(update):
    assert codes(update(uboList=[{"firstName": "Olga"}])) == {
        "/uboList/0/email": "REQUIRED_FIELD_MISSING"
    }


def test_shares_are_summed_with_those_that_are_stored(update):
    response = update(ownershipPercent=41)

    assert codes(response) == {"/uboList": "OWNERSHIP_TOTAL_EXCEEDED"}
    assert Lead.objects.get().ownership_percent == 40


def test_metadata_merges_and_null_removes_a_key(update):
    response = update(metadata={"tier": None, "region": "east"})

    assert response.json()["metadata"] == {"channel": "web", "region": "east"}


def test_metadata_is_limited_after_the_merge(update):
    response = update(metadata={f"key{number}": "v" for number in range(49)})

    assert codes(response) == {"/metadata": "METADATA_LIMIT_EXCEEDED"}


def test_edd_answers_are_changed_by_id_or_question(update):
    update(
        eddQuestionData=[
            {"questionId": "q1", "answer": "75000"},
            {"question": "Source of funds?", "answer": "Savings"},
            {"question": "Why us?", "answer": "Speed"},
        ]
    )

    answers = Lead.objects.get().edd_answers
    assert [answer["answer"] for answer in answers] == ["75000", "Savings", "Speed"]
    assert answers[0]["question"] == "Expected monthly volume?"


def test_documents_are_added_and_known_ones_named(update):
    response = update(documentDataList=[
        document_data(llcFileType="IRS_EIN_LETTER"),
        document_data(b"%PDF-1.7 other", llcFileType="PASSPORT", fileName="p.pdf"),
    ])  # fmt: skip

    assert [item["duplicate"] for item in response.json()["documents"]] == [True, False]
    assert response.json()["updatedFields"] == ["documentDataList"]
    assert Document.objects.count() == 3


@pytest.mark.parametrize("email", ["eve@example.com", "Ada@EXAMPLE.com "])
def test_the_email_must_be_the_leads(update, email):
    response = update(email=email)

    if email.startswith("eve"):
        assert codes(response) == {"/email": "EMAIL_IMMUTABLE"}
    else:
        assert response.status_code == 200


def test_the_email_is_required(api, customer_id):
    assert codes(api.post(f"lead/{customer_id}", {})) == {"/email": "REQUIRED_FIELD_MISSING"}


def test_a_unique_id_of_another_lead_is_refused(api, update):
    api.create(email="eve@example.com", uniqueId="crm-2")

    response = update(uniqueId="crm-2", firstName="Eve")

    assert response.status_code == 409
    assert codes(response) == {"/uniqueId": "UNIQUE_ID_IN_USE"}
    assert Lead.objects.get(email=EMAIL).first_name == "Ada"


@pytest.mark.parametrize(
    "status", [Status.SUBMITTED, Status.DOCUMENTS_REQUIRED, Status.IN_REVIEW, Status.APPROVED]
)
def test_after_submission_only_additions_are_taken(update, status):
    Application.objects.update(status=status)

    refused = update(firstName="Eve", uboList=[{"email": "eve@example.com"}], metadata={"a": "b"})
    taken = update(
        firstName="Ada",
        metadata={"a": "b"},
        eddQuestionData=[{"question": "Why?", "answer": "So"}],
        documentDataList=[document_data(b"%PDF-1.7 more")],
    )

    assert refused.status_code == 409
    assert codes(refused) == {"/firstName": "LEAD_LOCKED", "/uboList": "LEAD_LOCKED"}
    assert taken.status_code == 200
    assert taken.json()["updatedFields"] == ["documentDataList", "eddQuestionData", "metadata"]


def test_after_submission_what_is_asked_for_is_taken(update):
    Lead.objects.update(phone_number="")
    Application.objects.update(status=Status.DOCUMENTS_REQUIRED)

    assert update(phoneNumber="+12025550199").json()["updatedFields"] == ["phoneNumber"]


@pytest.mark.parametrize("status", [Status.DENIED, Status.EXPIRED, Status.WITHDRAWN])
def test_a_closed_application_takes_nothing(update, status):
    Application.objects.update(status=status)

    response = update(metadata={"a": "b"})

    assert response.status_code == 409
    assert codes(response) == {None: "APPLICATION_CLOSED"}


@pytest.mark.parametrize("customer_id", ["1", "not-a-uuid", str(uuid.UUID(int=0)), "%00", "é"])
def test_an_unknown_customer_is_not_found(api, customer_id):
    response = api.post(f"lead/{customer_id}", {"email": EMAIL})

    assert response.status_code == 404
    assert codes(response) == {None: "LEAD_NOT_FOUND"}


def test_another_partners_lead_is_not_found(other_api, customer_id):
    for response in (
        other_api.post(f"lead/{customer_id}", {"email": EMAIL}),
        other_api.get(f"lead/{customer_id}"),
        other_api.delete(f"lead/{customer_id}"),
        other_api.post(f"lead/{customer_id}/session"),
        other_api.put(f"lead/{customer_id}/upload", {"documentDataList": [document_data()]}),
    ):
        assert response.status_code == 404
        assert codes(response) == {None: "LEAD_NOT_FOUND"}


@pytest.mark.parametrize("customer_id", ["a%00b", "x" * 300, "%ff"])
def test_an_id_that_no_database_stores_is_no_lead(api, customer_id):
    body = {"email": "ada@example.com"}

    response = api.post(f"lead/{customer_id}", body, Idempotency_Key="key")

    assert response.status_code == 404
    assert codes(response) == {None: "LEAD_NOT_FOUND"}


def test_lists_are_cleared_by_null_and_answers_by_their_parts(update):
    update(eddQuestionData=[{"questionId": "q1", "answer": None}])
    assert "answer" not in Lead.objects.get().edd_answers[0]

    response = update(uboList=None, eddQuestionData=None, metadata=None)

    assert response.json()["updatedFields"] == ["eddQuestionData", "metadata", "uboList"]
    assert response.json()["uboData"] == []
    lead = Lead.objects.get()
    assert (lead.edd_answers, lead.metadata, lead.owners.count()) == ([], {}, 0)


def test_new_urls_are_a_change(update):
    urls = ["https://files.example.com/a.pdf", "https://files.example.com/new.pdf"]

    assert update(documentUrls=urls).json()["updatedFields"] == ["documentUrls"]
    assert update(documentUrls=urls).json()["updatedFields"] == []


def test_a_url_that_could_not_be_fetched_may_be_sent_again_at_any_time(api, update, customer_id):
    url = "https://files.example.com/new.pdf"
    update(documentUrls=[url])
    Document.objects.filter(source_url=url).update(
        status=DocumentStatus.NOT_FETCHED,
        status_reason="connection refused",
        fetch_due_at=None,
        fetch_attempts=3,
    )
    Application.objects.update(status=Status.IN_REVIEW)
    found = api.get(f"lead/{customer_id}").json()["requirements"]
    assert [(one["code"], one["target"]) for one in found if one["kind"] == "DOCUMENT"][-1] == (
        "DOCUMENT_NOT_FETCHED",
        "/documentUrls",
    )

    response = update(documentUrls=[url])

    assert response.json()["updatedFields"] == ["documentUrls"]
    document = Document.objects.get(source_url=url)
    assert (document.status, document.fetch_attempts) == (DocumentStatus.PENDING, 0)
    assert document.fetch_due_at
    found = api.get(f"lead/{customer_id}").json()["requirements"]
    assert "DOCUMENT_NOT_FETCHED" not in {one["code"] for one in found}


def test_after_submission_a_passport_may_stand_for_the_ssn(update):
    update(ssn=None, passportNumber=None, idGovNumber=None)
    Application.objects.update(status=Status.DOCUMENTS_REQUIRED)

    assert update(passportNumber="X7654321", idCountry="GB").status_code == 200
