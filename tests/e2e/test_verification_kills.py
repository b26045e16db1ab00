"""A worker that is killed while a verification provider answers: nothing is lost or asked anew."""

import json

import pytest

from tests.e2e.serving import Server, database
from tests.e2e.working import working
from tests.servers import serving
from tests.verification_providers import SECRET, http, result_of

FILL = """
import django
django.setup()
from django.utils import timezone
from onboarding.choices import ApplicationStatus
from onboarding.models import Application
from tests.onboarding.services.leads.test_submissions import make_complete
make_complete()
Application.objects.update(status=ApplicationStatus.SUBMITTED, submitted_at=timezone.now())
"""
STATE = "SELECT status, attempts, result FROM onboarding_verificationrequest"
CHECKS = "SELECT count(*) FROM onboarding_check WHERE code = 'IDENTITY_VERIFIED'"
LEASE_OVER = "UPDATE onboarding_verificationrequest SET due_at = asked_at"


@pytest.fixture
def server(tmp_path):
    with database(tmp_path) as url:
        yield Server(tmp_path, "config.web", url)


def test_a_killed_worker_loses_no_verification(server):
    def answer(connection):
        if len(provider.requests) == 1:
            provider.stopped.wait(60)  # until its worker is long dead
            return
        body = json.loads(provider.requests[-1][2])
        connection.sendall(http(200, result_of(body["requestId"])))

    with serving(answer) as provider:
        server.environment |= {
            "VERIFICATION_PROVIDERS": "idcheck",
            "VERIFICATION_IDCHECK_URL": provider.url.rstrip("/"),
            "VERIFICATION_IDCHECK_TOKEN": "test-token",
            "VERIFICATION_IDCHECK_SECRET": SECRET,
            "VERIFICATION_IDCHECK_CHECKS": "IDENTITY",
        }
        server.run(["-c", FILL])
        with working(server) as crew:
            crew.wait_until(lambda: provider.requests)
            crew.kill(crew.worker)
            assert crew.rows(STATE) == [("WAITING", 1, "")]

            crew.start_worker()
            crew.write(LEASE_OVER)
            crew.wait_until(lambda: crew.rows(STATE) == [("ANSWERED", 2, "PASS")])
            crew.wait_until(lambda: crew.rows(CHECKS) == [(1,)])
        provider.stopped.set()

    keys = [headers["idempotency-key"] for _, headers, _ in provider.requests]
    assert len(keys) == 2
    assert len(set(keys)) == 1
