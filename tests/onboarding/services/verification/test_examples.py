"""The two example adapters, found by the entry points of their package, against local servers."""

import hashlib
import hmac
import json
import shutil
import sys
import tomllib
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from foundation.verification import registry
from onboarding.choices import VerificationStatus
from tests.factories import later
from tests.onboarding.services.checks.submitted import screen
from tests.onboarding.services.verification.conftest import only_request, send_due
from tests.servers import serving
from tests.verification_providers import account, http, now

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "verification"
SECRET = "kestrel-secret-of-thirty-two-characters"
PATH = "/service/verification/v1/callbacks/vendor"


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    """Install the package as pip would lay it out."""
    project = tomllib.loads((EXAMPLES / "pyproject.toml").read_text())["project"]
    shutil.copytree(EXAMPLES / "example_verification", tmp_path / "example_verification")
    info = tmp_path / f"{project['name'].replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    points = "\n".join(
        f"{name} = {target}" for name, target in project["entry-points"][registry.GROUP].items()
    )
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{points}\n")
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in [one for one in sys.modules if one.startswith("example_verification")]:
        del sys.modules[name]


@pytest.fixture
def vendor(settings, in_production, submitted):
    """Serve answers in turn, the last for ever, for a submitted application."""
    submitted()
    servers = []

    def serve(adapter, *answers):
        waiting = list(answers)

        def respond(connection):
            connection.sendall(waiting.pop(0) if len(waiting) > 1 else waiting[0])

        manager = serving(respond)
        server = manager.__enter__()
        servers.append(manager)
        values = {"adapter": adapter, "kinds": (), "secret": SECRET}
        settings.VERIFICATION_PROVIDERS = [account(server.url, "vendor", **values)]
        assert list(registry.list_faults()) == []
        screen()
        return server

    yield serve
    for manager in servers:
        manager.__exit__(None, None, None)


def inquiry(state="approved", **values):
    request_id = str(only_request().external_id)
    return {"id": "inq_1", "external_ref": request_id, "state": state, **values}


def call_back(client, body, *, at=None, secret=SECRET):
    content, sent_at = json.dumps(body), str(int((at or now()).timestamp()))
    signed = hmac.new(secret.encode(), f"{sent_at}.{content}".encode(), hashlib.sha256).hexdigest()
    headers = {"Kestrel-Signature": f"t={sent_at},s={signed}"}
    sent = client.post(PATH, content, content_type="application/json", headers=headers)
    return sent.status_code


def test_kestrel_is_sent_a_form_with_no_more_than_it_needs(vendor):
    server = vendor("kestrel", http(201, b"{}"))
    send_due()

    line, headers, body = server.requests[0]
    fields = parse_qs(body.decode())
    assert line == "POST /v2/inquiries HTTP/1.1"
    assert headers["kestrel-key"] == "test-token"
    assert headers["x-idempotency-key"] == fields["external_ref"][0]
    assert set(fields) == {"external_ref", "given_name", "family_name", "dob", "zip", "notify_url"}


@pytest.mark.parametrize(
    ("state", "result"), [("approved", "PASS"), ("needs_review", "WARN"), ("declined", "FAIL")]
)
def test_kestrel_calls_back(vendor, client, state, result):
    vendor("kestrel", http(500))
    send_due()
    first = inquiry(state, flags=["doc-expired"])

    assert [call_back(client, first), call_back(client, first)] == [202, 202]
    assert call_back(client, inquiry("approved"), secret="another") == 401
    assert call_back(client, inquiry("approved"), at=later()) == 401
    assert client.post(PATH, b"{}", content_type="application/json").status_code == 401

    row = only_request()
    assert (row.result, row.reference, row.reasons) == (result, "inq_1", ["DOC_EXPIRED"])


def test_kestrel_is_polled_by_its_own_number(vendor):
    server = vendor("kestrel", http(500))
    pending, done = (http(200, inquiry(state)) for state in ("processing", "approved"))
    server._answer = lambda connection: connection.sendall(  # noqa: SLF001 - the next answers
        done if "GET" in server.requests[-1][0] else pending
    )
    send_due()
    assert only_request().status == VerificationStatus.SENT
    send_due(later(seconds=11))

    assert server.requests[-1][0] == "GET /v2/inquiries/inq_1 HTTP/1.1"
    assert only_request().result == "PASS"


@pytest.mark.parametrize(
    ("companies", "result", "reasons"),
    [
        ([{"standing": "GOOD_STANDING"}], "PASS", []),
        ([{"standing": "DISSOLVED"}], "FAIL", ["DISSOLVED"]),
        ([{"standing": "asleep"}], "WARN", ["STANDING_UNKNOWN"]),
        (["x"], "WARN", ["STANDING_UNKNOWN"]),
        ([], "FAIL", ["NOT_FOUND"]),
        ([{}, {}], "WARN", ["SEVERAL_FOUND"]),
    ],
)
def test_registro_answers_at_once_or_is_polled(vendor, companies, result, reasons):
    queued = http(202, {"jobId": "job-1", "status": "QUEUED"})
    done = http(200, {"jobId": "job-1", "status": "DONE", "companies": companies})
    server = vendor("registro", queued, done)

    send_due()
    send_due(later(seconds=11))

    row = only_request()
    sent = json.loads(server.requests[0][2])
    assert [line for line, _, _ in server.requests] == [
        "POST /search HTTP/1.1",
        "GET /jobs/job-1 HTTP/1.1",
    ]
    assert set(sent["query"]) == {"name", "jurisdiction"}
    assert (row.result, row.reasons) == (result, reasons)


@pytest.mark.parametrize("adapter", ["kestrel", "registro"])
@pytest.mark.parametrize(
    "answer",
    [
        http(200, b"<html>"),
        http(200, {"id": 1, "jobId": 2}),
        http(200, {"jobId": "job-1", "status": "DONE", "companies": {}}),
        http(200, b"x" * 100_000),
        http(302, b"", "Location: http://127.0.0.1/"),
        b"",
    ],
    ids=["html", "types", "shape", "huge", "redirect", "hang-up"],
)
def test_bad_answers_are_failures(vendor, adapter, answer):
    vendor(adapter, answer)
    send_due()

    assert only_request().status == VerificationStatus.WAITING
    assert only_request().fault


def test_registro_calls_nobody_back(vendor, client):
    vendor("registro", http(500))

    assert call_back(client, {"jobId": "job-1", "status": "DONE"}) == 401
