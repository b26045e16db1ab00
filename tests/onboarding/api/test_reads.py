"""Reads: one lead, many leads, its end, and new ways into it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, Supplier
from onboarding.models import Application, Lead
from onboarding.services.events import publications
from onboarding.services.leads.merging import merge_into
from tests.factories import NOON, document_data, lead_body
from tests.onboarding.conftest import codes


def test_a_lead_is_read_as_it_was_sent_save_its_numbers(api):
    created = api.create(**lead_body())

    answer = api.get(f"lead/{created['customerId']}").json()

    sent = lead_body()
    for name in ("firstName", "birthDate", "city", "businessAddress", "ownershipPercent", "duns"):
        assert answer["lead"][name] == sent[name]
    assert answer["lead"]["ssn"] == "••••6789"
    assert answer["lead"]["ein"] == "••••6789"
    assert answer["lead"]["passportNumber"] == "••••5678"
    assert answer["lead"]["eddQuestionData"][1] == {
        "question": "Source of funds?",
        "answer": "Sales",
        "questionId": None,
    }
    assert [owner["email"] for owner in answer["owners"]] == [
        "grace@example.com",
        "alan@example.com",
    ]
    assert answer["owners"][1]["idGovNumber"] == "••••3344"
    assert [document["status"] for document in answer["documents"]] == ["PENDING", "RECEIVED"]
    assert answer["status"] == "CREATED"
    assert answer["statusGroup"] == "PENDING_APPLICANT"
    assert answer["decision"] is None
    assert answer["attempt"] == 1
    assert "location" not in answer


def test_requirements_say_what_is_missing_and_who_can_supply_it(api):
    created = api.create(businessType="LLC", uboList=[{"email": "o@example.com"}])

    requirements = api.get(f"lead/{created['customerId']}").json()["requirements"]

    by_target = {(item["uboId"], item["target"]): item for item in requirements}
    application = Application.objects.select_related("lead").get()
    assert by_target[None, "/firstName"] == {
        "code": "FIRST_NAME_MISSING",
        "kind": "FIELD",
        "target": "/firstName",
        "uboId": None,
        "acceptedTypes": [],
        "message": "First name is missing.",
        "satisfiableBy": ["APPLICANT", "PARTNER"],
        "dueDate": application.deadline.isoformat().replace("+00:00", "Z"),
    }
    assert (created["uboData"][0]["uboId"], "/birthDate") in by_target
    assert [item["acceptedTypes"] for item in requirements if item["kind"] == "DOCUMENT"] == [
        ["ARTICLES_OF_ORGANIZATION"],
        ["IRS_EIN_LETTER", "SS4_DOCUMENT"],
    ]


def test_a_complete_lead_misses_nothing(api):
    created = api.create(
        **lead_body(
            businessType="SSN",
            uboList=[],
            documentDataList=[document_data(llcFileType="GOVERNMENT_IDENTIFICATION")],
        )
    )

    assert api.get(f"lead/{created['customerId']}").json()["requirements"] == []


def test_who_supplied_what_the_partner_did_not_is_told(api):
    customer_id = api.create(**lead_body())["customerId"]
    lead = Lead.objects.get()
    merge_into(lead, {"phone_number": "+14155550199", "edd_answers": []}, by=Supplier.APPLICANT)
    lead.save()
    owner = lead.owners.get(email="grace@example.com")
    merge_into(owner, {"title": "Chief"}, by=Supplier.REVIEWER)
    owner.save()

    answer = api.get(f"lead/{customer_id}").json()

    assert answer["lead"]["suppliedBy"] == {"phoneNumber": "APPLICANT"}
    assert answer["lead"]["corrected"] == ["phoneNumber"]
    assert answer["owners"][0]["suppliedBy"] == {"title": "REVIEWER"}
    assert (answer["owners"][1]["suppliedBy"], answer["owners"][1]["corrected"]) == ({}, [])


def test_the_moment_of_the_signature_is_told(api):
    customer_id = api.create()["customerId"]
    assert api.get(f"lead/{customer_id}").json()["submittedAt"] is None

    Application.objects.update(status=Status.SUBMITTED, submitted_at=NOON)

    assert api.get(f"lead/{customer_id}").json()["submittedAt"] == "2026-03-02T12:00:00Z"


def test_a_decision_is_told(api):
    created = api.create()
    Application.objects.update(status=Status.DENIED)

    answer = api.get(f"lead/{created['customerId']}").json()

    assert answer["decision"]["outcome"] == "DENIED"
    assert answer["decision"]["decidedAt"] == answer["statusChangedAt"]


def test_a_denial_is_read_with_its_reasons_and_says_what_can_be_done(api):
    customer_id = api.create(ssn="123-45-0004")["customerId"]  # which goes to review
    api.post(f"sandbox/{customer_id}/submit")
    api.post(f"sandbox/{customer_id}/compliance_reject")
    day = Application.objects.get().status_changed_at.date().isoformat()

    decision = api.get(f"lead/{customer_id}").json()["decision"]
    (refusal,) = api.put("lead", {"email": "ada@example.com"}).json()["errors"]

    assert decision["reasonCodes"] == ["NOT_ELIGIBLE"]
    assert decision["reapplyAfter"] is None
    assert refusal["codeName"] == "APPLICATION_CLOSED"
    assert refusal["message"] == (
        f"The application is closed: it was denied on {day}, and only the bank can reopen it."
    )


@pytest.mark.parametrize("status", [Status.EXPIRED, Status.WITHDRAWN])
def test_who_may_apply_again_is_told_so(api, status):
    customer_id = api.create()["customerId"]
    Application.objects.update(status=status, status_changed_at=NOON)

    (refusal,) = api.post(f"lead/{customer_id}/session").json()["errors"]

    assert refusal["message"].endswith("on 2026-03-02; create the lead again for a new attempt.")


def test_why_a_document_was_rejected_is_read(api, make_document):
    customer_id = api.create()["customerId"]
    reason = {"status_reason": "It is cut off."}
    make_document(Lead.objects.get(), status=DocumentStatus.REJECTED, **reason)
    make_document(Lead.objects.get(), status=DocumentStatus.QUARANTINED, **reason)

    documents = api.get(f"lead/{customer_id}").json()["documents"]

    assert [one["rejectedReason"] for one in documents] == ["It is cut off.", None]


def rebuilt(events):
    """Return the state of a lead as its events tell it."""
    state = {"reasonCodes": [], "expirationDate": None, "account": None}
    for event in events:
        data = event["data"]
        state |= {name: data[name] for name in ("status", "statusGroup", "attempt")}
        state["sequence"] = event["sequence"]
        codes = data.get("reasonCodes", state["reasonCodes"])
        state["reasonCodes"] = codes if data["status"] == "DENIED" else []
        if event["type"] == "account.opened":
            state["account"] = (data["accountNumberMasked"], data["routingNumber"])
        state["isTemp"] = data["status"] == "APPROVED_TEMPORARY"
        ends = data.get("expirationDate", state["expirationDate"])
        state["expirationDate"] = ends if state["isTemp"] else None
    return state


def read(answer):
    """Return the same of a lead that was read."""
    account, decision = answer["account"], answer["decision"]
    same = ("status", "statusGroup", "attempt", "sequence", "isTemp", "expirationDate")
    return {
        **{name: answer[name] for name in same},
        "reasonCodes": decision["reasonCodes"] if decision else [],
        "account": account and (account["accountNumberMasked"], account["routingNumber"]),
    }


@pytest.mark.parametrize("ssn", [f"123-45-{n:04}" for n in (1, 2, 3, 4, 7)])
@pytest.mark.parametrize(
    "path",
    [
        ["open", "submit", "compliance_approve"],
        ["submit", "llc_doc_upload", "docs_required", "llc_doc_upload", "compliance_reject"],
        ["submit", "kyb_provider_upload", "temp_approve", "compliance_approve"],
        ["docv_upload", "llc_doc_upload", "temp_approve", "compliance_reject"],
        ["open", "expire"],
    ],
)
def test_a_read_has_all_that_the_events_told(api, path, ssn):
    customer_id = api.create(ssn=ssn, businessType="LLC")["customerId"]

    for activity in path:
        api.post(
            f"sandbox/{customer_id}/{activity}"
        )  # some are not allowed after what the SSN does
        publications.publish(at=timezone.now())
        events = api.get("events").json()["events"]

        assert read(api.get(f"lead/{customer_id}").json()) == rebuilt(events)


def test_a_later_page_reads_no_lead_of_the_pages_before(api):
    for number in range(3):
        api.create(email=f"lead{number}@example.com")
    first = api.get("lead?limit=1").json()

    with CaptureQueriesContext(connection) as asked:
        api.get(f"lead?limit=1&cursor={first['nextCursor']}")

    bounded = [one for one in asked if "onboarding_lead.id <" in one["sql"]]
    assert len(bounded) == 1, "pass the cursor to search_applications"


def test_the_list_pages_by_cursor_and_stays_put_while_leads_come(api, other_api):
    other_api.create()
    emails = [api.create(email=f"lead{number}@example.com") and number for number in range(5)]

    first = api.get("lead?limit=2").json()
    api.create(email="late@example.com")
    second = api.get(f"lead?limit=2&cursor={first['nextCursor']}").json()
    third = api.get(f"lead?limit=2&cursor={second['nextCursor']}").json()

    seen = [lead["email"] for page in (first, second, third) for lead in page["leads"]]
    assert seen == [f"lead{number}@example.com" for number in reversed(emails)]
    assert third["nextCursor"] is None


def test_the_list_has_25_by_default(api):
    for number in range(26):
        api.create(email=f"lead{number}@example.com")

    assert len(api.get("lead").json()["leads"]) == 25
    assert len(api.get("lead?limit=100").json()["leads"]) == 26


def test_the_list_is_filtered(api):
    api.create(uniqueId="crm-1")
    api.create(email="eve@example.com")
    Application.objects.filter(lead__email="eve@example.com").update(status=Status.IN_REVIEW)

    def found(query):
        return [lead["email"] for lead in api.get(f"lead?{query}").json()["leads"]]

    assert found("status=IN_REVIEW") == ["eve@example.com"]
    assert found("email=ADA%40example.com") == ["ada@example.com"]
    assert found("uniqueId=crm-1") == ["ada@example.com"]
    assert found("status=DENIED") == []


def test_the_list_is_filtered_by_change(api):
    api.create()
    now = Lead.objects.get().updated_at
    since = (now + timedelta(hours=1)).isoformat()

    assert api.get(f"lead?updatedSince={now.isoformat()}").json()["leads"] != []
    assert api.get(f"lead?updatedSince={since}").json()["leads"] == []
    Application.objects.update(status_changed_at=now + timedelta(hours=2))
    assert api.get(f"lead?updatedSince={since}").json()["leads"] != []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("status=MAYBE", "VALUE_NOT_ALLOWED"),
        ("limit=0", "VALUE_OUT_OF_RANGE"),
        ("limit=101", "VALUE_OUT_OF_RANGE"),
        ("limit=-1", "VALUE_OUT_OF_RANGE"),
        ("limit=٣", "VALUE_OUT_OF_RANGE"),
        ("cursor=%00", "INVALID_FORMAT"),
        ("cursor=bGVhZDo5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5", "INVALID_FORMAT"),
        ("email=%00", "INVALID_FORMAT"),
        ("uniqueId=%00", "INVALID_FORMAT"),
        ("updatedSince=yesterday", "INVALID_FORMAT"),
        ("updatedSince=2026-01-01T00:00:00", "INVALID_FORMAT"),
        ("updatedSince=2026-13-01T00:00:00Z", "INVALID_FORMAT"),
    ],
)
def test_a_filter_that_cannot_be_read_is_refused(api, query, code):
    response = api.get(f"lead?{query}")

    assert response.status_code == 400
    assert list(codes(response).values()) == [code]


@pytest.mark.parametrize("query", ["email=nobody", "uniqueId=%E2%9C%93", "email=" + "x" * 3000])
def test_a_filter_that_no_lead_can_match_finds_none(api, query):
    response = api.get(f"lead?{query}")

    assert response.json()["leads"] == []


def test_a_lead_is_withdrawn_once(api):
    created = api.create()

    first = api.delete(f"lead/{created['customerId']}")
    again = api.delete(f"lead/{created['customerId']}")

    assert first.status_code == again.status_code == 200
    assert first.json()["status"] == again.json()["status"] == "WITHDRAWN"
    assert first.json()["statusChangedAt"] == again.json()["statusChangedAt"]


@pytest.mark.parametrize("status", [Status.APPROVED, Status.DENIED, Status.APPROVED_TEMPORARY])
def test_a_decided_application_is_not_withdrawn(api, status):
    created = api.create()
    Application.objects.update(status=status)

    response = api.delete(f"lead/{created['customerId']}")

    assert response.status_code == 409
    assert codes(response) == {None: "INVALID_TRANSITION"}


@pytest.mark.parametrize("body", [None, {}, {"rotateLink": False}, {"rotateLink": None}])
def test_a_session_mints_a_token_and_keeps_the_link(api, body):
    created = api.create()

    session = api.post(f"lead/{created['customerId']}/session", body).json()

    assert session["customerId"] == created["customerId"]
    assert session["location"] == created["location"]
    assert session["token"] != created["token"]
    assert Client().get(created["location"]).status_code == 200


def test_a_session_replaces_the_link_on_demand(api):
    created = api.create()

    session = api.post(f"lead/{created['customerId']}/session", {"rotateLink": True}).json()

    assert session["location"] != created["location"]
    browser = Client()
    assert browser.get(created["location"]).status_code == 410
    assert browser.get(session["location"]).status_code == 200


def test_a_session_refuses_what_is_no_flag(api):
    created = api.create()

    answer = api.post(f"lead/{created['customerId']}/session", {"rotateLink": "yes"})

    assert codes(answer) == {"/rotateLink": "INVALID_TYPE"}


def test_the_link_names_partner_and_business_and_nothing_else(api):
    created = api.create(**lead_body())

    response = Client().get(created["location"])

    page = response.content.decode()
    assert response.status_code == 200
    assert api.partner.name in page
    assert "Analytical Engines LLC" in page
    for private in ("Ada", "ada@example.com", "6789", "Analytical Way"):
        assert private not in page
    assert "no-store" in response["Cache-Control"]


def test_an_expired_link_says_so(api):
    created = api.create()
    Application.objects.update(link_expires_at=Application.objects.get().created_at)

    assert Client().get(created["location"]).status_code == 410


def test_the_lifecycle_is_published(db):
    statuses = Client().get("/service/api/v1/meta/lifecycle").json()["statuses"]

    moves = {item["status"]: item["next"] for item in statuses}
    assert moves["CREATED"] == ["IN_PROGRESS", "EXPIRED", "WITHDRAWN"]
    assert moves["APPROVED"] == []
    assert len(moves) == 11


def test_the_errors_are_published(db):
    errors = Client().get("/service/api/v1/meta/errors").json()["errors"]

    assert errors[0]["codeName"] == "MALFORMED_BODY"
    assert {"en", "es"} == set(errors[0]["localizedMessages"])


def test_the_document_rules_are_published(db):
    rules = Client().get("/service/api/v1/meta/document-rules").json()["rules"]

    assert {
        rule["code"]: rule["acceptedTypes"] for rule in rules if rule["businessType"] == "MMLLC"
    } == {
        "ARTICLES_OF_ORGANIZATION": ["ARTICLES_OF_ORGANIZATION"],
        "EIN_PROOF": ["IRS_EIN_LETTER", "SS4_DOCUMENT"],
        "OPERATING_AGREEMENT": ["OPERATING_AGREEMENT"],
    }


@pytest.mark.parametrize("path", ["lead/", "meta/errors/", "meta/lifecycle"])
def test_paths_work_with_and_without_a_slash(api, path):
    assert api.get(path).status_code == 200


def test_a_replaced_document_is_listed_and_counts_for_nothing(api, make_document):
    created = api.create(businessType="SSN")
    lead = Lead.objects.get()
    make_document(lead, llc_file_type="GOVERNMENT_IDENTIFICATION", status=DocumentStatus.REPLACED)

    answer = api.get(f"lead/{created['customerId']}").json()

    assert [document["status"] for document in answer["documents"]] == ["REPLACED"]
    missing = {item["code"] for item in answer["requirements"]}
    assert "GOVERNMENT_IDENTIFICATION_MISSING" in missing
