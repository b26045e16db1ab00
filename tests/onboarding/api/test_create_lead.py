"""Create: the contract's fields, what is refused, what a repeat does."""

import uuid
from xml.etree import ElementTree

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus
from onboarding.models import Application, Document, Event, Lead, Owner
from tests.factories import lead_body
from tests.onboarding.conftest import PartnerApi, codes


def test_an_email_is_enough(api):
    response = api.put("lead", {"email": " Ada@Example.com "})

    assert response.status_code == 201
    answer = response.json()
    uuid.UUID(answer["customerId"])
    assert answer["personId"] == answer["customerId"]
    assert answer["location"].startswith("http://testserver/apply/")
    assert answer["token"]
    assert answer["partnerSuppliedId"] == ""
    assert answer["uboData"] == []
    assert answer["status"] == "CREATED"
    assert answer["metadata"] == {}
    assert answer["warnings"] == []
    assert Lead.objects.get().email == "ada@example.com"


def test_every_field_of_the_contract_is_stored(api):
    response = api.put("lead", lead_body())

    assert response.status_code == 201, response.content
    answer = response.json()
    assert answer["partnerSuppliedId"] == "crm-1"
    assert [owner["email"] for owner in answer["uboData"]] == [
        "grace@example.com",
        "alan@example.com",
    ]
    lead = Lead.objects.get()
    assert (lead.ssn, lead.ein, lead.passport_number) == ("123456789", "123456789", "X12345678")
    assert lead.business_address["postal_code"] == "22201"
    assert lead.edd_answers[0] == {
        "question": "Expected monthly volume?",
        "answer": "50000",
        "question_id": "q1",
    }
    assert Owner.objects.get(email="grace@example.com").address["city"] == "Arlington"
    pending, received = Document.objects.order_by("pk")
    assert (pending.status, pending.source_url) == (
        DocumentStatus.PENDING,
        "https://files.example.com/a.pdf",
    )
    assert (received.status, received.llc_file_type) == (
        DocumentStatus.RECEIVED,
        "IRS_EIN_LETTER",
    )


def test_all_faults_are_named_at_once(api):
    body = lead_body(
        email="nobody",
        phoneNumber="555",
        ssn="000-12-3456",
        birthDate="2020-02-30",
        state="XX",
        country="ZZ",
        postalCode="1",
        businessType="GMBH",
        ownershipPercent=101,
        documentDataList=[{"content": "%%%", "contentType": "pdf", "fileName": "a/b"}],
        uboList=[{"email": "x", "ssn": 5}, "owner"],
        metadata={"a": 1},
        documentUrls=["http://example.com/a"],
    )

    response = api.put("lead", body)

    assert response.status_code == 400
    assert codes(response) == {
        "/email": "INVALID_EMAIL",
        "/phoneNumber": "INVALID_PHONE_NUMBER",
        "/ssn": "INVALID_SSN",
        "/birthDate": "INVALID_DATE",
        "/country": "INVALID_COUNTRY",
        "/state": "INVALID_STATE",
        "/postalCode": "INVALID_POSTAL_CODE",
        "/businessType": "VALUE_NOT_ALLOWED",
        "/ownershipPercent": "VALUE_OUT_OF_RANGE",
        "/documentDataList/0/content": "INVALID_BASE64",
        "/documentDataList/0/contentType": "INVALID_CONTENT_TYPE",
        "/documentDataList/0/fileName": "INVALID_FILE_NAME",
        "/uboList/0/email": "INVALID_EMAIL",
        "/uboList/0/ssn": "INVALID_TYPE",
        "/uboList/1": "INVALID_TYPE",
        "/metadata/a": "INVALID_TYPE",
        "/documentUrls/0": "INVALID_URL",
    }
    assert not Lead.objects.exists()


@pytest.mark.parametrize("kind", ["PASSPORT", "SS4_DOCUMENT"])
def test_two_kinds_of_document_come_with_an_update_only(api, kind):
    body = lead_body(uboList=[])
    body["documentDataList"][0]["llcFileType"] = kind

    response = api.put("lead", body)

    assert codes(response) == {"/documentDataList/0/llcFileType": "VALUE_NOT_ALLOWED"}


def test_an_unknown_field_is_named_and_ignored(api):
    answer = api.create(shoeSize=43, uboList=[{"email": "o@example.com", "hat": {"size": 7}}])

    assert [warning["field"] for warning in answer["warnings"]] == ["/shoeSize", "/uboList/0/hat"]
    assert {warning["code"] for warning in answer["warnings"]} == {"UNKNOWN_FIELD"}


def test_a_choice_is_trimmed_as_any_text_is(api):
    api.create(businessType=" LLC ")

    assert Lead.objects.get().business_type == "LLC"


def test_null_and_empty_are_the_same_as_absent(api):
    api.create(firstName="Ada", ssn="123-45-6789")
    api.create(firstName=None, lastName="", ssn="", uboList=None, metadata=None, country=None)

    lead = Lead.objects.get()
    assert (lead.first_name, lead.last_name, lead.ssn) == ("Ada", "", "123456789")


def test_the_same_email_is_the_same_customer(api):
    first = api.create(firstName="Ada", uboList=[{"email": "o@example.com"}, {"lastName": "Boole"}])
    second = api.create(
        email="ADA@example.com",
        lastName="Example",
        uboList=[{"email": "O@example.com", "firstName": "Olga"}, {"lastName": "Boole"}],
    )

    for name in ("customerId", "personId", "applicationId", "location"):
        assert second[name] == first[name]
    assert second["token"] != first["token"]
    assert [owner["uboId"] for owner in second["uboData"]] == [
        owner["uboId"] for owner in first["uboData"]
    ]
    lead = Lead.objects.get()
    assert (lead.first_name, lead.last_name) == ("Ada", "Example")
    assert lead.owners.get(email="o@example.com").first_name == "Olga"


def test_what_the_applicant_changed_is_kept_and_named(api):
    api.create(city="New York", uboList=[{"email": "o@example.com", "firstName": "Olga"}])
    Lead.objects.update(city="Boston", supplied_by={"city": "APPLICANT"})
    Owner.objects.update(first_name="Helga", supplied_by={"first_name": "APPLICANT"})

    answer = api.create(
        city="New York", firstName="Ada", uboList=[{"email": "o@example.com", "firstName": "Olga"}]
    )

    lead = Lead.objects.get()
    assert (lead.city, lead.first_name, lead.owners.get().first_name) == ("Boston", "Ada", "Helga")
    assert {(item["code"], item["field"]) for item in answer["warnings"]} == {
        ("VALUE_KEPT", "/city"),
        ("VALUE_KEPT", "/uboList/0/firstName"),
    }


@pytest.mark.parametrize("status", [Status.EXPIRED, Status.WITHDRAWN])
def test_a_closed_attempt_is_followed_by_a_new_one(api, status):
    first = api.create()
    Application.objects.update(status=status)

    second = api.create()

    assert second["customerId"] == first["customerId"]
    assert second["applicationId"] != first["applicationId"]
    assert second["location"] != first["location"]
    assert list(Application.objects.order_by("pk").values_list("attempt", "is_current")) == [
        (1, False),
        (2, True),
    ]


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (Status.SUBMITTED, "LEAD_LOCKED"),
        (Status.ID_VERIFICATION, "LEAD_LOCKED"),
        (Status.DOCUMENTS_REQUIRED, "LEAD_LOCKED"),
        (Status.IN_REVIEW, "LEAD_LOCKED"),
        (Status.APPROVED, "CUSTOMER_ALREADY_ONBOARDED"),
        (Status.APPROVED_TEMPORARY, "CUSTOMER_ALREADY_ONBOARDED"),
        (Status.DENIED, "APPLICATION_CLOSED"),
    ],
)
def test_a_submitted_application_is_not_created_again(api, status, code):
    api.create()
    Application.objects.update(status=status)

    response = api.put("lead", {"email": "ada@example.com", "firstName": "Eve"})

    assert response.status_code == 409
    assert codes(response) == {None: code}
    assert Lead.objects.get().first_name == ""


def test_a_unique_id_belongs_to_one_email(api, other_api):
    api.create(uniqueId="crm-1")

    response = api.put("lead", {"email": "eve@example.com", "uniqueId": "crm-1"})

    assert response.status_code == 409
    assert codes(response) == {"/uniqueId": "UNIQUE_ID_IN_USE"}
    other_api.create(email="eve@example.com", uniqueId="crm-1")


def test_the_same_email_is_another_customer_of_another_partner(api, other_api):
    assert api.create()["customerId"] != other_api.create()["customerId"]


def test_fifty_creates_at_once_make_one_lead(in_threads, make_api_key):
    issued = make_api_key()

    answers = in_threads(
        lambda number: PartnerApi(issued).put(
            "lead", {"email": "ada@example.com", "metadata": {f"k{number}": "v"}}
        ),
        range(50),
    )

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["customerId"] for answer in answers}) == 1
    assert Lead.objects.count() == Application.objects.count() == 1
    assert len(Lead.objects.get().metadata) == 50


def test_validate_only_tells_and_stores_nothing(api):
    good = api.put("lead?validateOnly=true", lead_body()).json()
    bad = api.put("lead?validateOnly=true", {"email": "nobody", "hat": 1})

    assert good["valid"] is True
    assert {item["target"] for item in good["requirements"]} == {
        "/lastName",
        "/birthDate",
        "/phoneNumber",
        "/address",
        "/documentDataList",
    }
    assert bad.status_code == 200
    assert bad.json()["valid"] is False
    assert [item["codeName"] for item in bad.json()["errors"]] == ["INVALID_EMAIL"]
    assert [item["field"] for item in bad.json()["warnings"]] == ["/hat"]
    assert not Lead.objects.exists()
    assert not Document.objects.exists()


def test_a_state_is_stored_in_upper_case_and_a_region_as_it_is(api):
    api.create(state="ny", country="us", businessAddress={"state": "Bayern", "country": "DE"})

    lead = Lead.objects.get()
    assert (lead.state, lead.country) == ("NY", "US")
    assert lead.business_address["state"] == "Bayern"


def test_a_bad_key_of_metadata_is_named_without_breaking_xml(api):
    body = {"email": "ada@example.com", "metadata": {"k\u0001": 5, "a/b~c": 6}}

    response = api.put("lead", body)
    xml = api.put("lead", body, Accept="*/*")

    assert "/metadata/a~1b~0c" in codes(response)
    ElementTree.fromstring(xml.content)


@pytest.mark.parametrize("url", ["", "  "])
def test_a_document_url_is_not_empty(api, url):
    response = api.put("lead", {"email": "ada@example.com", "documentUrls": [url]})

    assert response.status_code == 400
    assert codes(response) == {"/documentUrls/0": "REQUIRED_FIELD_MISSING"}


def test_shares_of_thirds_and_sixths_stay_within_the_whole(api):
    owners = [{"email": f"o{place}@example.com", "ownershipPercent": 100 / 6} for place in range(6)]

    api.create(uboList=owners)

    assert str(Owner.objects.first().ownership_percent) == "16.6666"


def test_the_longest_request_id_is_kept_with_the_event(api):
    request_id = "r" * 128

    response = api.put("lead", {"email": "ada@example.com"}, X_Request_Id=request_id)

    assert (response.status_code, response["X-Request-Id"]) == (201, request_id)
    assert Event.objects.get().request_id == request_id
