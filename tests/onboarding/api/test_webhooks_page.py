"""What docs/webhooks.md tells partners' developers holds: its types, its code, its vector."""

import re
import shutil
import subprocess
import threading
from datetime import UTC, datetime
from http.client import HTTPConnection
from http.server import HTTPServer

import pytest
from django.conf import settings

from onboarding.event_types import PUBLISHED, TEST_EVENT
from onboarding.services.webhooks.posting import sign
from tests.factories import SIGNING_SECRET

PAGE = (settings.BASE_DIR / "docs" / "webhooks.md").read_text()
BODY = '{"id":"evt_1","type":"webhook.test","timestamp":"2026-01-01T00:00:00.000Z","data":{}}'
SENT_AT = datetime.fromtimestamp(1767225600, UTC)


def snippet(language):
    [found] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return found


def test_every_type_is_listed_with_its_action():
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]

    actions = {TEST_EVENT: "", **{one.value: one.spec.action or "" for one in PUBLISHED}}
    for event_type, action in actions.items():
        found = [line for line in rows if f"`{event_type}`" in line.split("|")[1]]
        assert len(found) == 1, f"docs/webhooks.md has no row about {event_type}. Run: make docs"
        assert action in found[0]


def test_the_vector_is_what_is_sent():
    signature = sign("evt_1", SENT_AT, BODY, [SIGNING_SECRET])

    for part in (SIGNING_SECRET, f"`{BODY}`", f"`{signature}`"):
        assert part in PAGE


@pytest.fixture
def receiver(monkeypatch):
    """The receiver of the page, served; returns what it answers to a body with a signature."""
    monkeypatch.setenv("SIGNING_SECRET", SIGNING_SECRET)
    scope = {"__name__": "receiver"}
    exec(snippet("python"), scope)
    server = HTTPServer(("127.0.0.1", 0), scope["Receiver"])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def answer(body, signature, at):
        headers = {
            "webhook-id": "evt_1",
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": signature,
        }
        connection = HTTPConnection(*server.server_address, timeout=10)
        connection.request("POST", "/bank", body, headers)
        try:
            return connection.getresponse().status
        finally:
            connection.close()

    yield answer
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_receiver_in_python_takes_what_is_ours_alone(receiver):
    now = datetime.now(UTC)
    other = "whsec_" + "B" * 43 + "="
    signature = sign("evt_1", now, BODY, [other, SIGNING_SECRET])

    assert receiver(BODY, signature, now) == 204
    assert receiver(f"{BODY} ", signature, now) == 400
    assert receiver(BODY, sign("evt_1", now, BODY, [other]), now) == 400
    assert receiver(BODY, sign("evt_1", SENT_AT, BODY, [SIGNING_SECRET]), SENT_AT) == 400


def test_the_receiver_in_node_takes_what_is_ours_alone(tmp_path):
    node = shutil.which("node") or pytest.skip("there is no node")
    ours = sign("evt_1", SENT_AT, BODY, [SIGNING_SECRET])
    foreign = sign("evt_1", SENT_AT, BODY, ["whsec_" + "B" * 43 + "="])
    script = tmp_path / "verify.js"
    script.write_text(
        snippet("js").partition("createServer(async")[0]
        + """
        const [body, secret, ours, foreign] = process.argv.slice(2);
        const sent = (signature) => ({
          "webhook-id": "evt_1", "webhook-timestamp": "1767225600", "webhook-signature": signature,
        });
        const verdicts = () => [
          verify(sent(ours), body, secret),
          verify(sent(`${foreign} ${ours}`), body, secret),
          verify(sent(foreign), body, secret),
          verify(sent(ours), body + " ", secret),
          verify({}, body, secret),
        ];
        console.log(JSON.stringify(verdicts()));
        Date.now = () => 1767225600_000;
        console.log(JSON.stringify(verdicts()));
        """
    )

    done = subprocess.run(
        [node, script, BODY, SIGNING_SECRET, ours, foreign],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip

    late, in_time = done.stdout.splitlines()
    assert late == "[false,false,false,false,false]"
    assert in_time == "[true,true,false,false,false]"
