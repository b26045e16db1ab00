"""Results: callbacks over HTTP, signed or not, early, late, twice; proposals that they void."""

import json
import uuid

import pytest

from foundation.outbound import http_client
from onboarding.choices import CheckResult, ProposalKind, RunCause, VerificationStatus
from onboarding.models import Application, CheckRun, Proposal, VerificationRequest
from onboarding.queries import audit, evidence
from onboarding.queries.decision_policy import get_needs
from onboarding.services.checks import rechecks
from onboarding.services.checks.check_runs import run_checks
from tests.factories import NOON, later, make_proposal
from tests.onboarding.cases import load
from tests.onboarding.services.checks.submitted import screen
from tests.onboarding.services.verification.conftest import only_request, send_due
from tests.onboarding.services.verification.test_sending import check_of
from tests.verification_providers import SECRET, http, now, result_of, signed

PATH = "/service/verification/v1/callbacks/idcheck"
ACCEPTED = (202, {"received": True})


@pytest.fixture
def call(client):
    """Send a callback, signed now, as a provider does."""

    def call(body, path=PATH, at=None, secret=SECRET, **changed):
        headers, content = signed(body, at=at or now(), secret=secret)
        sent = {**headers, **changed}
        answer = client.post(path, content, content_type="application/json", headers=sent)
        return answer.status_code, answer.json()

    return call


@pytest.fixture
def pending(submitted, provider):
    """Return a case whose provider will call back."""
    submitted()
    with provider(lambda body: result_of(body["requestId"], "PENDING", reference="")):
        screen()
        send_due()
    screen(later(seconds=121))
    return Application.objects.select_related("lead").get()


def key():
    return str(only_request().external_id)


def test_a_callback_brings_the_result_into_the_checks(pending, call):
    assert call(result_of(key(), "FAIL", reasons=["DOCUMENT_EXPIRED"])) == ACCEPTED
    send_due(now())

    assert check_of().result == CheckResult.FAIL
    assert only_request().due_at is None
    assert json.loads(only_request().received)["outcome"] == "FAIL"
    assert list(audit.find_faults()) == []


def test_a_repeated_callback_and_a_second_result_change_nothing(pending, call):
    first = result_of(key(), "WARN", reasons=["A"])

    assert [call(first), call(first), call(result_of(key(), "PASS"))] == [ACCEPTED] * 3
    send_due(now())

    assert check_of().result == CheckResult.WARN
    assert CheckRun.objects.count() == 2


def test_a_callback_may_come_before_the_answer(submitted, provider, call, monkeypatch):
    submitted()
    send = http_client.send_request

    def call_back_first(*args, **values):
        assert call(result_of(key(), "PASS")) == ACCEPTED
        return send(*args, **values)

    monkeypatch.setattr(http_client, "send_request", call_back_first)
    with provider(lambda body: result_of(body["requestId"], "PENDING")):
        screen()
        send_due()
    screen(later(seconds=1))

    assert only_request().status == VerificationStatus.ANSWERED
    assert check_of().result == CheckResult.PASS


def test_a_callback_after_the_deadline_counts(pending, call):
    send_due(later(hours=25))
    assert only_request().status == VerificationStatus.UNANSWERED

    call(result_of(key(), "PASS"))
    send_due(now())

    assert check_of().result == CheckResult.PASS


@pytest.mark.parametrize(
    "unknown", ["01938a5e-6b7c-7def-8a01-23456789abcd", "x", "", "9" * 500, "{" * 40]
)
def test_unknown_ids_are_answered_like_known_ones(pending, call, unknown):
    assert call(result_of(unknown)) == ACCEPTED
    assert only_request().status == VerificationStatus.SENT


def test_the_request_of_another_provider_is_not_known(pending, call, settings):
    [one] = settings.VERIFICATION_PROVIDERS
    settings.VERIFICATION_PROVIDERS = [one, {**one, "name": "other"}]

    assert call(result_of(key()), PATH.replace("idcheck", "other")) == ACCEPTED
    assert only_request().status == VerificationStatus.SENT


@pytest.mark.parametrize(
    "changes",
    [
        {"secret": "whsec_" + "A" * 32},
        {"at": NOON},
        {"webhook-id": "another"},
        {"path": PATH.replace("idcheck", "nobody")},
    ],
)
def test_a_callback_that_the_provider_did_not_sign_is_refused(pending, call, changes):
    status, said = call(result_of(key()), **changes)

    assert (status, said) == (401, {"message": "The signature is wrong, or too old."})
    assert only_request().status == VerificationStatus.SENT


def test_without_headers_it_is_refused(pending, client):
    assert client.post(PATH, b"{}", content_type="application/json").status_code == 401
    assert client.get(PATH).status_code == 405


def test_a_signed_callback_that_is_malformed_is_refused_with_the_reason(pending, call):
    assert call(b"<html>") == (
        400,
        {"message": "The callback cannot be used: the answer is not JSON."},
    )


def test_a_large_callback_is_not_read(pending, call):
    status, _ = call(b"x" * 70_000)

    assert status == 413


def test_callbacks_are_limited_per_network(pending, call, settings):
    settings.RATE_LIMIT_FACTOR, settings.CALLS_PER_MINUTE = 1, 2

    assert [call(result_of("x"))[0] for _ in range(3)] == [202, 202, 429]


def test_nothing_personal_is_logged(pending, call, caplog):
    call(result_of(key(), "MAYBE", reasons=["Ada 123-45-6789"]))
    call(b'{"ssn": "123-45-6789"')

    assert "6789" not in caplog.text


def test_a_proposal_is_voided_by_another_result_and_not_by_another_run(pending, call):
    digest = evidence.compute_digest(pending)
    make_proposal(pending, evidence_digest=digest)
    run_checks(pending, cause=RunCause.STAFF, at=later(hours=1))
    assert Proposal.objects.get().status == "OPEN"

    call(result_of(key(), "PASS"))
    send_due(now())

    assert Proposal.objects.get().status == "VOIDED"


def test_the_digest_has_the_result_and_not_the_request(pending, call):
    call(result_of(key(), "PASS"))
    send_due(now())
    before = evidence.compute_digest(pending)

    changed = uuid.uuid4()
    VerificationRequest.objects.update(reference="ref-2", external_id=changed, sent="", received="")
    row = only_request()
    row.sent = json.dumps({})
    row.save(update_fields=["sent"])
    run_checks(load(pending), cause=RunCause.STAFF, at=later(hours=1))

    assert check_of().details["request_id"] == str(changed)
    assert evidence.compute_digest(pending) == before


def test_a_failed_verification_needs_a_second_person(pending, call):
    call(result_of(key(), "FAIL"))
    send_due(now())

    needs = get_needs(load(pending), ProposalKind.APPROVE)
    assert needs.second_person_reasons == ["This check failed: Identity, verified by a provider."]


def test_an_unapplied_result_blocks_an_approval(pending, call):
    run_checks(pending, cause=RunCause.STAFF, at=now())
    assert not rechecks.is_outdated(pending)

    call(result_of(key(), "FAIL"))

    assert rechecks.is_outdated(pending)


def test_a_refused_answer_is_kept_as_evidence(submitted, provider):
    submitted()
    with provider(http(422, {"error": "no"})):
        screen()
        send_due()

    assert only_request().status == VerificationStatus.REJECTED
