"""Submitted applications, and a provider on this machine that answers as a test says."""

import json
from contextlib import contextmanager

import pytest

from onboarding.models import VerificationRequest
from onboarding.services.verification import sending
from tests.factories import NOON
from tests.onboarding.services.checks.submitted import complete, make_submitted
from tests.servers import serving
from tests.verification_providers import account, http


@pytest.fixture
def in_production(settings):
    settings.CHECK_PROVIDERS = ["BUILT_IN", "MANUAL"]
    settings.AUTO_APPROVAL = "never"


@pytest.fixture
def provider(settings, in_production):
    """Serve a provider that answers with a function of the request's JSON body, or with bytes."""

    @contextmanager
    def serve(answer, **values):
        def respond(connection):
            _, _, body = server.requests[-1]
            said = answer(json.loads(body or b"{}")) if callable(answer) else answer
            connection.sendall(said if isinstance(said, bytes) else http(200, said))

        with serving(respond) as server:
            settings.VERIFICATION_PROVIDERS = [account(server.url, **values)]
            yield server

    return serve


@pytest.fixture
def submitted(db):
    """Return an application that was submitted, with nothing missing."""

    def make(**values):
        application = make_submitted("6789", **values)
        complete(application)
        return application

    return make


def send_due(at=NOON):
    """Do what is due now, as workers do."""
    for pk, attempt in sending.dispatch(at=at, limit=100):
        sending.work(pk, attempt=attempt, clock=lambda: at)


def only_request():
    return VerificationRequest.objects.get()
