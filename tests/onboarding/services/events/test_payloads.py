import json

import pytest

from onboarding.choices import ApplicationStatus
from onboarding.event_types import EventType
from onboarding.services.events import payloads
from onboarding.services.events.history import CHECKS
from tests.factories import NOON


def compose(event, **options):
    return json.loads(payloads.compose(event, **options))


def test_a_body_says_what_happened_to_whom(make_event, make_application, make_lead):
    application = make_application(
        make_lead(unique_id="crm-7"), attempt=2, status=ApplicationStatus.SUBMITTED
    )

    event = make_event(application, EventType.SUBMITTED)

    assert compose(event) == {
        "id": f"evt_{event.external_id.hex}",
        "type": "application.submitted",
        "timestamp": "2026-03-02T12:00:00.000Z",
        "environment": "sandbox",
        "apiVersion": "2.0.0",
        "sequence": 1,
        "data": {
            "customerId": str(application.lead.external_id),
            "personId": str(application.lead.external_id),
            "applicationId": str(application.external_id),
            "attempt": 2,
            "partnerSuppliedId": "crm-7",
            "action": "submitApplication",
            "status": "SUBMITTED",
            "previousStatus": None,
            "statusGroup": "PROCESSING",
        },
    }


@pytest.mark.parametrize(
    ("event_type", "details", "action"),
    [
        (EventType.CREATED, {}, None),
        (EventType.IDENTITY_REQUESTED, {}, "idVerificationStart"),
        (EventType.IDENTITY_REQUESTED, {"ubo_id": "7"}, "idVerificationAdditionalUbos"),
        (EventType.IDENTITY_COMPLETED, {}, "idVerification"),
        (EventType.DOCUMENTS_REQUIRED, {}, "firstRequestedDocs"),
        (EventType.DOCUMENT_RECEIVED, {}, None),
        (EventType.DOCUMENT_RECEIVED, {"action": "firstUploadDocs"}, "firstUploadDocs"),
        (EventType.ACCOUNT_OPENED, {}, "onboardingComplete"),
        (EventType.DENIED, {}, "applicationRejected"),
    ],
)
def test_each_type_has_its_action(make_event, event_type, details, action):
    assert compose(make_event(None, event_type, **details))["data"]["action"] == action


def test_documents_asked_for_again_are_told_so(make_event):
    event = make_event(None, EventType.DOCUMENTS_REQUIRED, missing_docs=["PASSPORT"])

    data = compose(event, is_repeated=True)["data"]

    assert data["action"] == "resubmitDocs"
    assert data["missing_docs"] == ["PASSPORT"]


def test_details_of_the_house_are_not_told(make_event):
    event = make_event(
        None, EventType.DENIED, by=CHECKS, reason_codes=["OTHER"], note="found on a list"
    )

    data = compose(event)["data"]

    assert data["reasonCodes"] == ["OTHER"]
    assert "note" not in data


def test_a_test_has_an_empty_body():
    assert json.loads(payloads.compose_test("evt_1", at=NOON)) == {
        "id": "evt_1",
        "type": "webhook.test",
        "timestamp": "2026-03-02T12:00:00.000Z",
        "environment": "sandbox",
        "apiVersion": "2.0.0",
        "data": {},
    }
