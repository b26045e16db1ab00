"""A partner's developer at the sandbox: the service, its worker and a receiver, all processes."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial

import pytest
from django.conf import settings

from config import processes
from tests.e2e.serving import TIMEOUT_SECONDS, served
from tests.e2e.working import working

pytestmark = pytest.mark.one_database
DOCUMENTED = ["docv_upload", "llc_doc_upload", "kyb_provider_upload", "compliance_approve"]
WAY = [
    "application.created",
    "application.started",
    "application.submitted",
    "identity_verification.requested",
    "document.received",
    "identity_verification.completed",
    "application.documents_required",
    "document.received",
    "document.received",
    "application.in_review",
    "identity_verification.completed",
    "application.approved",
    "account.opened",
]


class Listener:
    """`manage.py listen` as a process, with what it printed."""

    def __init__(self, server, path, *options):
        self.path, self.server = path, server
        with path.open("w") as output, path.with_suffix(".err").open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "listen", "--json", *options],
                cwd=settings.BASE_DIR,
                env=server.environment,
                stdout=output,
                stderr=errors,
                preexec_fn=partial(processes.end_with, os.getpid()),
            )
        self.wait_until(lambda: "listens on" in self.errors)

    @property
    def errors(self):
        return self.path.with_suffix(".err").read_text()

    @property
    def events(self):
        lines = self.path.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def of(self, customer_id):
        return [event for event in self.events if event["customerId"] == customer_id]

    def wait_until(self, is_so):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not (found := is_so()):
            assert self.process.poll() is None, self.errors
            assert time.monotonic() < deadline, (self.errors, self.events)
            time.sleep(0.05)
        return found

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(TIMEOUT_SECONDS)


@contextmanager
def listening(server, path, *options):
    listener = Listener(server, path, *options)
    try:
        yield listener
    finally:
        listener.process.kill()
        listener.process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("sandbox")) as server, working(server):
        yield server


def create(server, **values):
    answer = server.call("PUT", "lead", {"email": "ada@example.com", **values})
    assert answer.status == 201, answer.content
    return answer.json()["customerId"]


def play(server, lead, activity):
    answer = server.call("POST", f"sandbox/{lead}/{activity}")
    assert answer.status == 200, answer.content
    return answer.json()


def webhooks(server):
    return server.call("GET", "webhooks").json()["webhookList"]


def test_each_event_on_the_documented_way_arrives_verified_and_without_a_gap(server, tmp_path):
    with listening(server, tmp_path / "events") as listener:
        lead = create(server)
        played = [play(server, lead, activity) for activity in DOCUMENTED]
        listener.wait_until(lambda: len(listener.of(lead)) >= len(WAY))
        ended = listener.end(signal.SIGTERM)

    events = listener.of(lead)
    assert played[-1]["status"] == "APPROVED"
    assert [event["type"] for event in events] == WAY
    assert [event["sequence"] for event in events] == list(range(1, len(WAY) + 1))
    assert {event["isVerified"] for event in events} == {True}
    assert not any(event["missing"] or event["repetition"] for event in events)
    sequences = [event["sequence"] for one in played for event in one["events"]]
    assert sequences == [event["sequence"] for event in events[1:]]
    assert (ended, webhooks(server)) == (0, [])


def test_what_a_listener_failed_at_comes_again_when_time_has_passed(server, tmp_path):
    with listening(server, tmp_path / "events", "--fail", "503", "--every", "2") as listener:
        lead = create(server, email="grace@example.com", ssn="123-45-0001")
        listener.wait_until(lambda: len(listener.of(lead)) >= 1)
        play(server, lead, "submit")

        def all_arrived():
            server.call("POST", "sandbox/clock", {"advanceSeconds": 3600})
            kept = [event for event in listener.of(lead) if event["answered"] == 204]
            return len({event["sequence"] for event in kept}) >= 4

        listener.wait_until(all_arrived)

    failed = [event for event in listener.of(lead) if event["answered"] == 503]
    again = {event["messageId"] for event in listener.of(lead) if event["repetition"]}
    assert {event["messageId"] for event in failed} <= again
    kept = [event for event in listener.of(lead) if event["answered"] == 204]
    assert {event["sequence"] for event in kept} == {1, 2, 3, 4}
    assert {event["type"] for event in kept} >= {"application.submitted", "application.denied"}


def test_a_listener_that_was_killed_leaves_nothing_to_the_next_one(server, tmp_path):
    with listening(server, tmp_path / "first") as first:
        first.end(signal.SIGKILL)
    [stale] = webhooks(server)

    with listening(server, tmp_path / "second") as second:
        [current] = webhooks(server)
        second.end(signal.SIGINT)

    assert current["externalId"] != stale["externalId"]
    assert webhooks(server) == []


def test_a_listener_that_is_gone_is_disabled(server, tmp_path):
    with listening(server, tmp_path / "events", "--gone") as listener:
        create(server, email="alan@example.com")
        listener.wait_until(lambda: webhooks(server)[0]["status"] == "DISABLED")
        listener.end(signal.SIGTERM)

    assert [event["answered"] for event in listener.events] == [410]
