"""The sandbox's operations as a partner calls them."""

import pytest
from django.conf import settings

from onboarding.choices import ApplicationStatus, Permission
from onboarding.models import Application, Event
from onboarding.screening.sandbox import SERIALS
from onboarding.services.sandbox import Activity
from tests.onboarding.conftest import PartnerApi, codes

DOCUMENTED = ["docv_upload", "llc_doc_upload", "kyb_provider_upload", "compliance_approve"]
DAY = 24 * 60 * 60


@pytest.fixture
def lead(api):
    return api.create()["customerId"]


def play(api, lead, activity, **headers):
    return api.post(f"sandbox/{lead}/{activity}", **headers)


def test_the_four_documented_activities_take_a_new_lead_to_approved(api, lead):
    answers = [play(api, lead, activity) for activity in DOCUMENTED]

    assert [answer.status_code for answer in answers] == [200] * 4
    assert [answer.json()["status"] for answer in answers] == [
        "DOCUMENTS_REQUIRED",
        "IN_REVIEW",
        "IN_REVIEW",
        "APPROVED",
    ]
    assert api.get(f"lead/{lead}").json()["status"] == "APPROVED"


def test_an_answer_tells_what_happened_and_what_can_happen_next(api, lead):
    answer = play(api, lead, "open").json()

    assert answer == {
        "customerId": lead,
        "applicationId": str(Application.objects.get().external_id),
        "activity": "open",
        "status": "IN_PROGRESS",
        "previousStatus": "CREATED",
        "events": [{"type": "application.started", "sequence": 2}],
        "allowedActivities": ["submit", "docv_upload", "expire"],
    }


def test_what_cannot_happen_now_is_answered_with_what_can(api, lead):
    response = play(api, lead, "compliance_approve")

    assert response.status_code == 409
    (error,) = response.json()["errors"]
    assert (error["code"], error["codeName"], error["field"]) == (
        3008,
        "ACTIVITY_NOT_ALLOWED",
        None,
    )
    assert error["message"] == (
        "compliance_approve cannot be played while the application is CREATED; "
        "allowed now: open, submit, docv_upload, expire."
    )


def test_the_refusal_is_told_in_spanish(api, lead):
    response = play(api, lead, "temp_approve", Accept_Language="es")

    said = response.json()["errors"][0]["localizedMessage"]
    assert "permitido ahora: open, submit" in said


def test_an_activity_that_nobody_knows_is_named_with_those_there_are(api, lead):
    response = play(api, lead, "approve")

    assert response.status_code == 400
    assert codes(response) == {"/activity": "VALUE_NOT_ALLOWED"}
    assert "docv_upload" in response.json()["errors"][0]["message"]


@pytest.mark.parametrize("customer_id", ["nonsense", "0192b0c5-0000-7000-8000-000000000000"])
def test_a_lead_that_nobody_has_is_not_found(api, customer_id):
    response = play(api, customer_id, "open")

    assert (response.status_code, codes(response)) == (404, {None: "LEAD_NOT_FOUND"})


def test_another_partners_lead_is_not_found(other_api, lead):
    response = play(other_api, lead, "open")

    assert (response.status_code, codes(response)) == (404, {None: "LEAD_NOT_FOUND"})
    assert Application.objects.get().status == "CREATED"


@pytest.mark.parametrize("path", ["sandbox/clock", "sandbox/{lead}/open"])
def test_it_takes_a_permission_of_its_own(make_api_key, api, lead, path):
    others = [one for one in Permission if one is not Permission.SANDBOX_SIMULATE]
    weak = PartnerApi(make_api_key(api.partner, permissions=others))

    response = weak.post(path.format(lead=lead), {"advanceSeconds": 1})

    assert (response.status_code, codes(response)) == (403, {None: "PERMISSION_DENIED"})


@pytest.mark.parametrize("path", ["sandbox/clock", "sandbox/{lead}/open", "sandbox/nobody/open"])
@pytest.mark.parametrize("method", ["POST", "GET", "PUT"])
def test_in_production_there_is_nothing(api, lead, settings, path, method):
    settings.IS_SANDBOX = False
    path = path.format(lead=lead)

    played = api.call(method, path, {"advanceSeconds": 1}, X_Request_Id="same-for-both")
    unknown = api.call(method, "nothing/there", {"advanceSeconds": 1}, X_Request_Id="same-for-both")

    assert (played.status_code, played.content) == (404, unknown.content)
    told = [
        {name: value for name, value in one.headers.items() if not name.startswith("RateLimit")}
        for one in (played, unknown)
    ]
    assert told[0] == told[1]
    assert Application.objects.get().status == "CREATED"


def test_time_passes_and_ends_what_it_ends(api, lead):
    response = api.post("sandbox/clock", {"advanceSeconds": 30 * DAY})

    assert response.status_code == 200
    assert response.json() == {
        "advancedSeconds": 30 * DAY,
        "ended": [
            {
                "customerId": lead,
                "applicationId": str(Application.objects.get().external_id),
                "status": "EXPIRED",
            }
        ],
        "reminded": 0,
        "deliveriesDue": 0,
        "mailsDue": 0,
        "documentsDue": 0,
        "warnings": [],
    }
    assert Event.objects.last().type == "application.expired"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "REQUIRED_FIELD_MISSING"),
        ({"advanceSeconds": None}, "REQUIRED_FIELD_MISSING"),
        ({"advanceSeconds": "60"}, "INVALID_TYPE"),
        ({"advanceSeconds": 1.5}, "INVALID_TYPE"),
        ({"advanceSeconds": True}, "INVALID_TYPE"),
        ({"advanceSeconds": 0}, "VALUE_OUT_OF_RANGE"),
        ({"advanceSeconds": -1}, "VALUE_OUT_OF_RANGE"),
        ({"advanceSeconds": 400 * DAY + 1}, "VALUE_OUT_OF_RANGE"),
        ({"advanceSeconds": 10**400}, "VALUE_OUT_OF_RANGE"),
    ],
)
def test_only_so_much_time_can_pass(api, body, code):
    response = api.post("sandbox/clock", body)

    assert (response.status_code, codes(response)) == (400, {"/advanceSeconds": code})


@pytest.mark.parametrize("seconds", [1, 400 * DAY])
def test_a_second_and_four_hundred_days_can_pass(api, seconds):
    assert api.post("sandbox/clock", {"advanceSeconds": seconds}).status_code == 200


def test_the_page_for_partners_says_what_can_be_played_when_and_which_numbers_mean_what():
    page = (settings.BASE_DIR / "docs" / "sandbox.md").read_text()
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| ")]
    cells = {row[0].strip(" `"): row[-1].strip() for row in rows}

    for activity in Activity:
        allowed = [status.value for status in ApplicationStatus if activity.is_allowed(status)]
        assert cells[activity.value].split(", ") == allowed
    for serial, status in SERIALS.items():
        assert cells[serial].startswith(status.value)
