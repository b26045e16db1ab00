"""Sending: what a provider is sent, what becomes of its answers, good and bad."""

import json
from datetime import timedelta

import pytest
from django.db import connection

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    BreakerState,
    CheckCode,
    CheckResult,
    RunCause,
    VerificationStatus,
)
from onboarding.models import Application, VerificationProvider, VerificationRequest
from onboarding.queries.checks import list_current_checks
from onboarding.services.checks.check_runs import run_checks
from onboarding.services.verification import sending
from tests.factories import NOON, later
from tests.onboarding.services.checks.submitted import screen
from tests.onboarding.services.leads.test_submissions import make_complete_owner
from tests.onboarding.services.verification.conftest import only_request, send_due
from tests.verification_providers import http, result_of


def passing(body):
    return result_of(body["requestId"])


def check_of(code=CheckCode.IDENTITY_VERIFIED):
    checks = list_current_checks(Application.objects.select_related("lead").get())
    return next(check for check in checks if check.code == code)


def test_a_submitted_application_is_screened_when_the_provider_has_answered(submitted, provider):
    submitted()

    with provider(passing) as server:
        assert screen() == 0
        send_due()
        assert screen(later(seconds=1)) == 1

    check = check_of()
    assert Application.objects.get().status == Status.IN_REVIEW
    assert (check.result, check.source) == (CheckResult.PASS, "PROVIDER")
    assert check.note == "idcheck, reference ref-1."
    assert len(server.requests) == 1


def test_a_provider_is_sent_what_the_check_needs_under_one_key(submitted, provider):
    application = submitted()
    with provider(passing) as server:
        screen()
        send_due()

    line, headers, body = server.requests[0]
    lead, request = application.lead, only_request()
    sent = json.loads(body)
    assert line == "POST /verifications HTTP/1.1"
    assert headers["authorization"] == "Bearer test-token"
    assert headers["idempotency-key"] == sent["requestId"] == str(request.external_id)
    assert set(sent["subject"]) == {"firstName", "lastName", "birthDate", "ssn", "address"}
    assert sent["subject"]["ssn"] == lead.ssn
    assert sent["subject"]["address"]["postalCode"] == lead.postal_code
    assert sent["callbackUrl"] == "http://testserver/service/verification/v1/callbacks/idcheck"


@pytest.mark.parametrize("kind", ["REGISTRY", "ADDRESS"])
def test_a_check_of_the_business_is_sent_no_person(submitted, provider, kind):
    submitted()
    with provider(passing, kinds=(kind,)) as server:
        screen()
        send_due()

    subject = json.loads(server.requests[0][2])["subject"]
    assert "businessName" in subject
    assert not {"firstName", "ssn", "birthDate"} & set(subject)
    assert check_of_after(kind) == CheckResult.PASS


def check_of_after(kind):
    screen(later(seconds=1))
    return check_of(f"{kind}_VERIFIED").result


def test_every_owner_is_asked_about(submitted, provider):
    application = submitted()
    owner = make_complete_owner(application.lead, ssn="223456789")
    with provider(lambda body: result_of(body["requestId"], reasons=[])) as server:
        screen()
        send_due()

    assert {one.ubo_id for one in VerificationRequest.objects.all()} == {None, owner.external_id}
    assert len(server.requests) == 2


@pytest.mark.parametrize("outcome", ["WARN", "FAIL"])
def test_a_result_has_its_reasons(submitted, provider, outcome):
    submitted()
    with provider(lambda body: result_of(body["requestId"], outcome, reasons=["DOB_MISMATCH"])):
        screen()
        send_due()
        screen(later(seconds=1))

    check = check_of()
    assert check.result == outcome
    assert check.note == "idcheck, reference ref-1: DOB_MISMATCH."
    assert check.details["reasons"] == ["DOB_MISMATCH"]


BAD = {
    "500": (http(500, b"secret text"), "the provider answered 500"),
    "429": (http(429), "the provider answered 429"),
    "401": (http(401), "the provider answered 401"),
    "redirect": (http(302, b"", "Location: http://127.0.0.1:9/"), "redirects are not followed"),
    "no JSON": (http(200, b"<html>"), "the answer is not JSON"),
    "no object": (http(200, b"[1]"), "the answer is not a JSON object"),
    "deep": (http(200, b"[" * 50_000), "the answer is not JSON"),
    "other version": (http(200, {"version": "2"}), "the answer is of another version"),
    "huge": (http(200, b"x" * 100_000), "the answer has more than 65,536 bytes"),
    "hangs up": (b"", "connection closed without a whole answer"),
    "half": (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", "the answer is not HTTP, or not"),
    "another": (http(200, result_of("0" * 8)), "the answer is about another request"),
}


@pytest.mark.parametrize(
    ("status", "value", "seconds"),
    [
        (429, "120", 120),
        (503, "Mon, 02 Mar 2026 12:02:00 GMT", 120),
        (429, "1", 10),  # the usual wait
        (429, "86400", 3600),
        (429, "soon", 10),
        (500, "120", 10),
    ],
)
def test_a_provider_may_say_when_to_come_again(submitted, provider, status, value, seconds):
    submitted()
    with provider(http(status, b"", f"Retry-After: {value}")):
        screen()
        send_due()

    request = only_request()
    assert request.due_at == later(seconds=seconds)
    assert request.fault == f"the provider answered {status}"


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_answer_is_tried_again_under_the_same_key(submitted, provider, bad, caplog):
    answer, fault = BAD[bad]
    submitted()
    with provider(answer) as server:
        screen()
        send_due()
        first = only_request()
        send_due(later(seconds=5))
        send_due(later(seconds=11))

    assert first.status == VerificationStatus.WAITING
    assert first.fault.startswith(fault)
    keys = [json.loads(body)["requestId"] for _, _, body in server.requests]
    assert keys == [str(first.external_id)] * 2
    assert only_request().attempts == 2
    assert "secret text" not in caplog.text


@pytest.mark.parametrize("outcome", ["MAYBE", "pass", "", 7, None])
def test_an_unknown_outcome_is_no_result(submitted, provider, outcome):
    submitted()
    with provider(lambda body: result_of(body["requestId"], outcome)):
        screen()
        send_due()

    assert only_request().status == VerificationStatus.WAITING


@pytest.mark.parametrize(
    "values", [{"reference": "<b>"}, {"reasons": ["Ada Example, 123-45-6789"]}, {"reasons": "X"}]
)
def test_free_text_of_a_provider_is_refused(submitted, provider, values):
    submitted()
    with provider(lambda body: result_of(body["requestId"], **values)):
        screen()
        send_due()

    assert only_request().status == VerificationStatus.WAITING


def test_a_slow_provider_is_given_up_for_now(submitted, provider, settings):
    settings.VERIFICATION_SECONDS = 0.2
    submitted()

    def wait(_body):
        server.stopped.wait(5)
        return http(200, {})

    with provider(wait) as server:
        screen()
        send_due()
        server.stopped.set()

    assert only_request().fault.startswith("timed out")


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_refused_request_is_not_sent_again(submitted, provider, status):
    submitted()
    with provider(http(status)) as server:
        screen()
        send_due()
        send_due(later(hours=1))
        screen(later(hours=1))

    assert len(server.requests) == 1
    assert only_request().status == VerificationStatus.REJECTED
    assert check_of().note == "idcheck refused the request. Staff may decide by hand."
    assert check_of().result == CheckResult.WARN


def test_without_an_answer_the_screening_goes_on_and_the_result_comes_later(submitted, provider):
    submitted()
    with provider(lambda body: result_of(body["requestId"], "PENDING")):
        screen()
        send_due()
        assert screen(later(seconds=60)) == 0
        assert screen(later(seconds=121)) == 1
    waiting, key = check_of(), str(only_request().external_id)

    with provider(http(200, result_of(key, "FAIL"))) as server:
        send_due(later(seconds=122))

    assert waiting.note == "idcheck has not answered yet."
    assert server.requests[0][0].startswith(f"GET /verifications/{key} ")
    assert check_of().result == CheckResult.FAIL
    assert check_of().run.number == waiting.run.number + 1
    assert check_of().run.cause == "VERIFIED"


def test_after_the_deadline_the_check_says_so_and_staff_can_ask_again(submitted, provider):
    application = submitted()
    with provider(http(500)):
        screen()
        screen(later(seconds=121))
        send_due(later(hours=25))
    check, key = check_of(), only_request().external_id

    with provider(passing) as server:
        application.refresh_from_db()
        run_checks(application, cause=RunCause.STAFF, at=later(hours=26))
        send_due(later(hours=26))

    assert check.note == "idcheck did not answer in time. Staff may decide by hand."
    assert json.loads(server.requests[0][2])["requestId"] == str(key)
    assert check_of().result == CheckResult.PASS


def test_changed_data_are_asked_about_anew_and_equal_data_are_not(submitted, provider):
    application = submitted()
    with provider(passing) as server:
        screen()
        send_due()
        screen(later(seconds=1))
        application = Application.objects.select_related("lead").get()
        run_checks(application, cause=RunCause.STAFF, at=later(hours=1))
        application.lead.last_name = "Changed"
        application.lead.save()
        run_checks(application, cause=RunCause.ANSWERED, at=later(hours=2))
        changed = check_of()
        send_due(later(hours=2))

    assert len(server.requests) == 2
    assert changed.note == "idcheck has not answered yet."
    assert check_of().result == CheckResult.PASS


def test_an_index_key_that_was_added_asks_nothing_again(submitted, provider, settings):
    submitted()
    with provider(passing) as server:
        screen()
        send_due()
        settings.PII_INDEX_KEYS = f"test9:{'4d' * 32},{settings.PII_INDEX_KEYS}"
        screen(later(seconds=1))
        send_due(later(seconds=1))

    assert len(server.requests) == 1


def test_a_worker_that_was_killed_leaves_a_lease(submitted, provider):
    submitted()
    with provider(passing) as server:
        screen()
        [(pk, attempt)] = sending.dispatch(at=NOON, limit=9)
        VerificationRequest.objects.update(attempts=1, due_at=NOON + sending.LEASE)  # and it died

        sending.work(pk, attempt=attempt, clock=lambda: NOON)  # a message that comes twice
        send_due(later(seconds=30))
        assert server.requests == []
        send_due(later(seconds=61))

    assert len(server.requests) == 1
    assert only_request().status == VerificationStatus.ANSWERED


def test_a_failing_provider_is_paused_and_then_tried_once(submitted, provider):
    application = submitted()
    for number in range(6):
        make_complete_owner(application.lead, ssn=f"22345678{number}")
    with provider(http(500)) as server:
        screen()
        send_due()
        state = VerificationProvider.objects.get()
        assert (state.failures, len(server.requests)) == (5, 5)
        assert state.breaker(at=NOON) is BreakerState.OPEN
        send_due(later(seconds=59))
        assert len(server.requests) == 5

        assert state.breaker(at=later(seconds=61)) is BreakerState.HALF_OPEN
        send_due(later(seconds=61))
        assert len(server.requests) == 6
    state.refresh_from_db()
    assert state.open_until == later(seconds=61) + timedelta(minutes=2)

    with provider(passing) as server:
        send_due(later(minutes=4))
        assert (
            VerificationProvider.objects.get().breaker(at=later(minutes=4)) is BreakerState.CLOSED
        )
        for minutes in range(5, 40):
            send_due(later(minutes=minutes))

    assert len(server.requests) == 7
    assert {one.status for one in VerificationRequest.objects.all()} == {"ANSWERED"}


def test_a_provider_that_is_no_longer_configured_keeps_its_results(submitted, provider, settings):
    submitted()
    with provider(lambda body: result_of(body["requestId"], "FAIL")):
        screen()
        send_due()
    settings.VERIFICATION_PROVIDERS = []

    screen(later(seconds=1))

    assert check_of().result == CheckResult.FAIL


def test_what_is_sent_and_received_is_encrypted(submitted, provider):
    application = submitted()
    with provider(passing):
        screen()
        send_due()

    with connection.cursor() as cursor:
        cursor.execute("SELECT sent, received FROM onboarding_verificationrequest")
        [(sent, received)] = cursor.fetchall()
    assert sent.startswith("e2.test2.")
    assert received.startswith("e2.test2.")
    assert json.loads(only_request().sent)["ssn"] == application.lead.ssn
    assert json.loads(only_request().received)["reference"] == "ref-1"
