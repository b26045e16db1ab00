"""The sandbox's operations as a partner calls them."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

import onboarding.periodic  # noqa: F401 - declares the kinds of jobs
from banking.models import Job
from banking.services import jobs
from onboarding.choices import ApplicationStatus, Permission
from onboarding.models import Application, ClockMove, Event, Lead
from onboarding.queries import clock_moves
from onboarding.screening.sandbox import SERIALS
from onboarding.services.sandbox import sandbox_clock
from onboarding.services.sandbox.simulations import Activity
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


PATHS = ["sandbox/clock", "sandbox/clock/{lead}", "sandbox/{lead}/open"]


@pytest.mark.parametrize(("method", "path"), [*zip(["POST", "GET", "POST"], PATHS, strict=True)])
def test_it_takes_a_permission_of_its_own(make_api_key, api, lead, method, path):
    others = [one for one in Permission if one is not Permission.SANDBOX_SIMULATE]
    weak = PartnerApi(make_api_key(api.partner, permissions=others))

    response = weak.call(method, path.format(lead=lead), {"advanceSeconds": 1})

    assert (response.status_code, codes(response)) == (403, {None: "PERMISSION_DENIED"})


@pytest.mark.parametrize("path", [*PATHS, "sandbox/nobody/open"])
@pytest.mark.parametrize("method", ["POST", "GET", "PUT"])
def test_in_production_there_is_nothing(api, lead, settings, path, method):
    settings.IS_SANDBOX = False
    path = path.format(lead=lead)

    played = api.call(method, path, {"advanceSeconds": 1}, X_Request_Id="same-for-both")
    unknown = api.call(method, "nothing/there", {"advanceSeconds": 1}, X_Request_Id="same-for-both")

    assert (played.status_code, played.content) == (404, unknown.content)
    headers = [
        {name: value for name, value in one.headers.items() if not name.startswith("RateLimit")}
        for one in (played, unknown)
    ]
    assert headers[0] == headers[1]
    assert Application.objects.get().status == "CREATED"


def test_time_passes_and_ends_what_it_ends(api, lead):
    response = api.post("sandbox/clock", {"advanceSeconds": 30 * DAY})

    assert response.status_code == 200
    assert response.json() == {
        "moveId": str(ClockMove.objects.get().external_id),
        "status": "DONE",
        "leadsDone": 1,
        "leadsTotal": 1,
        "advancedSeconds": 30 * DAY,
        "ended": [
            {
                "customerId": lead,
                "applicationId": str(Application.objects.get().external_id),
                "status": "EXPIRED",
            }
        ],
        "endedTotal": 1,
        "reminded": 0,
        "deliveriesDue": 0,
        "mailsDue": 0,
        "documentsDue": 0,
        "warnings": [],
    }
    assert Event.objects.last().type == "application.expired"


@pytest.fixture
def hurried(monkeypatch):
    """Let no request have time for more than a batch of leads."""
    monkeypatch.setattr(sandbox_clock, "BUDGET", timedelta(0))
    monkeypatch.setattr(sandbox_clock, "BATCH_SIZE", 1)


def work():
    """Let a worker do what is due."""
    for pk, attempt in jobs.dispatch(at=timezone.now(), limit=5):
        jobs.run(pk, attempt=attempt, clock=timezone.now)


def path_of(response):
    return response["Location"].removeprefix(PartnerApi.root)


def test_a_worker_goes_on_with_what_takes_long(api, lead, hurried):
    second = api.create(email="grace@example.com")["customerId"]

    begun = api.post("sandbox/clock", {"advanceSeconds": 30 * DAY, "by": "me"})
    early = api.get(path_of(begun))
    work()
    done = api.get(path_of(begun))

    assert (begun.status_code, begun["Retry-After"]) == (202, "2")
    move = begun.json()
    warned = [warning["field"] for warning in move.pop("warnings")]
    assert warned == ["/by"]
    assert (early.status_code, early.json()) == (200, move)
    assert [move[name] for name in ("status", "leadsDone", "leadsTotal")] == ["IN_PROGRESS", 1, 2]
    ended = done.json()
    assert [one["customerId"] for one in ended.pop("ended")] == [lead, second]
    assert ended == {
        **{name: value for name, value in move.items() if name != "ended"},
        "status": "DONE",
        "leadsDone": 2,
        "endedTotal": 2,
    }


def test_the_list_of_what_ended_has_an_end(api, lead, monkeypatch):
    api.create(email="grace@example.com")
    monkeypatch.setattr(clock_moves, "ENDED_LISTED", 1)

    answer = api.post("sandbox/clock", {"advanceSeconds": 30 * DAY}).json()

    assert [one["customerId"] for one in answer["ended"]] == [lead]
    assert answer["endedTotal"] == 2


def test_until_a_move_is_finished_there_is_no_other(api, other_api, lead, hurried):
    begun = api.post("sandbox/clock", {"advanceSeconds": DAY})

    refused = api.post("sandbox/clock", {"advanceSeconds": DAY})
    other = other_api.post("sandbox/clock", {"advanceSeconds": DAY})
    work()
    again = api.post("sandbox/clock", {"advanceSeconds": DAY})

    assert (refused.status_code, codes(refused)) == (409, {None: "CLOCK_MOVING"})
    assert refused["Retry-After"] == "5"
    assert path_of(begun) in refused.json()["errors"][0]["message"]
    assert other.status_code == 200
    assert again.status_code == 202


def test_a_call_that_is_refused_has_a_worker_go_on_with_the_move(api, lead, hurried):
    api.post("sandbox/clock", {"advanceSeconds": DAY})
    Job.objects.update(status="FAILED", finished_at=timezone.now())

    refused = api.post("sandbox/clock", {"advanceSeconds": DAY}, Idempotency_Key="again")

    assert refused.status_code == 409
    assert Job.objects.open().get().kind == "move_clock"


def test_a_retry_tells_how_far_the_same_move_has_come(api, lead, hurried):
    before = Lead.objects.get().created_at
    call = {"body": {"advanceSeconds": DAY // 2}, "Idempotency_Key": "half-a-day"}

    answers = [api.post("sandbox/clock", **call) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [202, 200, 200]
    assert [answer.has_header("Idempotent-Replayed") for answer in answers] == [False, True, True]
    assert len({answer.json()["moveId"] for answer in answers}) == 1
    assert Lead.objects.get().created_at == before - timedelta(days=0.5)


def test_a_retry_goes_on_with_a_move_whose_request_was_cut_off(api, lead, monkeypatch):
    call = {"body": {"advanceSeconds": DAY}, "Idempotency_Key": "a-day"}
    with monkeypatch.context() as patch:
        patch.setattr(sandbox_clock, "go_on", None)
        cut_off = api.post("sandbox/clock", **call)

    again = api.post("sandbox/clock", **call)

    assert (cut_off.status_code, again.status_code) == (500, 200)
    assert again.json()["leadsDone"] == 1


@pytest.mark.parametrize("move_id", ["nonsense", "0192b0c5-0000-7000-8000-000000000000"])
def test_a_move_that_nobody_began_is_not_found(api, move_id):
    response = api.get(f"sandbox/clock/{move_id}")

    assert (response.status_code, codes(response)) == (404, {None: "RESOURCE_NOT_FOUND"})


def test_another_partners_move_is_not_found(api, other_api):
    move = api.post("sandbox/clock", {"advanceSeconds": 1}).json()["moveId"]

    response = other_api.get(f"sandbox/clock/{move}")

    assert (response.status_code, codes(response)) == (404, {None: "RESOURCE_NOT_FOUND"})


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
