"""The receiver for partners' developers: what it verifies, counts, prints, and how it fails."""

import base64
import json
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
import requests
from django.core.management import CommandError, call_command
from standardwebhooks import Webhook

from onboarding.management.commands import listen
from onboarding.management.receiver import Behaviour, Ledger, Received, Receiver
from onboarding.management.webhook_client import DESCRIPTION, Refusal, WebhookClient, is_loopback

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
TOKEN = "whtok_of_a_test"
WEBHOOKS = "/service/api/v1/webhooks"
EVENT = {
    "type": "application.approved",
    "sequence": 3,
    "data": {"customerId": "c1", "status": "APPROVED"},
}
RECEIVED = Received(
    at=datetime(2026, 3, 2, 12, tzinfo=UTC),
    message_id="evt_1",
    type="application.approved",
    sequence=3,
    customer_id="c1",
    status="APPROVED",
    is_verified=True,
    repetition=0,
    missing=[],
    is_late=False,
    answered=204,
)


@pytest.fixture
def listening():
    """Start receivers; return a function that does, and gives the list of what each is told."""
    receivers = []

    def start(**behaviour):
        reported = []
        receiver = Receiver(port=0, behaviour=Behaviour(**behaviour), report=reported.append)
        receivers.append(receiver)
        receiver.start(signing_secret=SECRET, token=TOKEN)
        return receiver.url, reported

    yield start
    for receiver in receivers:
        receiver.close()


def send(url, body=EVENT, *, message_id="evt_1", token=TOKEN, secret=SECRET):
    content = json.dumps(body) if isinstance(body, dict) else body
    now = datetime.now(UTC)
    headers = {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(message_id, now, content),
        "Authorization": f"Bearer {token}",
    }
    return requests.post(url, content, headers=headers, timeout=10).status_code


def test_an_event_is_told_as_it_arrives(listening):
    url, reported = listening()

    assert send(url) == 204

    (received,) = reported
    assert (received.type, received.sequence) == ("application.approved", 3)
    assert (received.customer_id, received.status) == ("c1", "APPROVED")
    assert (received.is_verified, received.answered) == (True, 204)


@pytest.mark.parametrize(
    "forged",
    [
        {"token": "another"},
        {"secret": "whsec_" + base64.b64encode(b"another").decode()},
        {"body": "no JSON", "token": "another"},
    ],
)
def test_what_is_forged_is_refused_and_counts_for_nothing(listening, forged):
    url, reported = listening()

    assert send(url, **forged) == 401
    assert send(url) == 204

    assert [(one.is_verified, one.repetition) for one in reported] == [(False, 0), (True, 0)]


def test_a_repetition_is_told(listening):
    url, reported = listening()

    send(url)
    send(url)

    assert [received.repetition for received in reported] == [0, 1]


def test_it_fails_as_often_as_it_is_told_to(listening):
    url, _ = listening(status=503, every=3)

    answers = [send(url, message_id=f"evt_{number}") for number in range(6)]

    assert answers == [204, 204, 503, 204, 204, 503]


def test_it_answers_late_if_it_is_told_to(listening):
    url, reported = listening(hang=0.1)

    send(url)

    assert (datetime.now(UTC) - reported[0].at).total_seconds() >= 0.1


def test_a_test_of_the_webhook_has_no_sequence(listening):
    url, reported = listening()

    assert send(url, {"type": "webhook.test", "data": {}}) == 204

    assert (reported[0].sequence, reported[0].customer_id) == (None, "")


@pytest.mark.parametrize("headers", [{"Content-Length": "nonsense"}, {"Content-Length": "9999999"}])
def test_a_body_without_end_is_not_read(listening, headers):
    url, reported = listening()
    request = requests.Request("POST", url, data=b"{}").prepare()
    request.headers.update(headers)

    with requests.Session() as session:
        assert session.send(request, timeout=10).status_code == 413

    assert reported == []


def test_whoever_asks_learns_that_somebody_listens(listening):
    url, _ = listening()

    assert "vestibule-listen" in requests.get(url, timeout=10).headers["Server"]


def test_gaps_and_what_fills_them_are_seen_per_lead():
    ledger = Ledger()

    noted = [
        ledger.note("a", "c1", 5),
        ledger.note("b", "c1", 6),
        ledger.note("c", "c1", 9),
        ledger.note("d", "c1", 7),
        ledger.note("d", "c1", 7),
        ledger.note("e", "c2", 1),
        ledger.note("f", "c1", 10),
    ]

    assert noted == [
        (0, [], False),
        (0, [], False),
        (0, [7, 8], False),
        (0, [], True),
        (1, [], False),
        (0, [], False),
        (0, [], False),
    ]


def test_a_line_says_what_is_worth_knowing():
    plain = listen.as_text(RECEIVED)
    odd = listen.as_text(
        Received(
            **{
                **vars(RECEIVED),
                "repetition": 1,
                "missing": [1, 2],
                "is_late": True,
                "answered": 500,
            }
        )
    )
    forged = listen.as_text(Received(**{**vars(RECEIVED), "is_verified": False, "sequence": None}))

    assert plain.split()[1:] == ["application.approved", "#3", "c1", "APPROVED", "✓"]
    assert odd.endswith("✓  repetition 1  late  missing #1, #2  answered 500")
    assert forged.endswith("✗ not verified")


def test_programs_get_an_object_per_event():
    values = json.loads(listen.as_json(RECEIVED))

    assert (values["type"], values["customerId"], values["isVerified"]) == (
        RECEIVED.type,
        "c1",
        True,
    )
    assert values["at"] == "2026-03-02T12:00:00+00:00"


@pytest.mark.parametrize(
    ("options", "behaviour"),
    [
        ({}, Behaviour()),
        ({"fail": 503, "every": 4}, Behaviour(status=503, every=4)),
        ({"gone": True}, Behaviour(status=410, every=1)),
        ({"hang": 2.5}, Behaviour(hang=2.5)),
    ],
)
def test_options_say_how_it_behaves(options, behaviour):
    options = {"fail": None, "every": 1, "gone": False, "hang": 0, **options}

    assert listen.read_behaviour(options) == behaviour


@pytest.mark.parametrize(
    "options",
    [
        {"fail": 99},
        {"fail": 204},
        {"fail": 600},
        {"fail": 500, "every": 0},
        {"every": -1},
        {"hang": -3},
        {"hang": 3601},
        {"hang": float("nan")},
    ],
)
def test_a_behaviour_that_cannot_be_is_refused(options):
    with pytest.raises(CommandError):
        listen.read_behaviour({"fail": None, "every": 1, "gone": False, "hang": 0, **options})


def test_without_a_key_it_says_what_is_missing(tmp_path):
    options = dict.fromkeys(listen.FACTS)

    with pytest.raises(CommandError, match="--base-url, --access-key, --secret-key"):
        listen.read_client({**options, "facts": tmp_path / "demo.env"})


@contextmanager
def service(answers):
    """Serve answers, by method and path, on this machine; yield a client and the calls."""
    calls = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            calls.append(f"{self.command} {self.path}")
            status, body = answers.get(calls[-1], (200, {}))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        do_GET = do_PUT = do_DELETE = answer  # noqa: N815 - http.server has these names

        def log_message(self, *_words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,)).start()
    try:
        yield WebhookClient(f"http://127.0.0.1:{server.server_port}", "Vestibule ak:sk"), calls
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("is_taken", [True, False])
def test_a_port_that_cannot_be_had_is_named(listening, tmp_path, is_taken):
    facts = tmp_path / "demo.env"
    facts.write_text("BASE_URL=http://127.0.0.1:9\nACCESS_KEY=ak\nSECRET_KEY=sk\n")
    port = urlsplit(listening()[0]).port if is_taken else 99999

    with pytest.raises(CommandError, match=f"Port {port} cannot be had: "):
        call_command("listen", facts=facts, port=port)


def webhook(number, url, description=DESCRIPTION):
    return {"externalId": f"w{number}", "serverUrl": url, "description": description}


def test_the_webhooks_of_killed_listeners_are_deleted_and_no_others(listening):
    alive, _ = listening()
    mine, dead = "http://127.0.0.1:7777/", "http://127.0.0.1:9/"
    webhooks = [
        webhook(1, dead),
        webhook(2, alive),
        webhook(3, mine),
        webhook(4, dead, "my own server"),
    ]

    with service({f"GET {WEBHOOKS}": (200, {"webhookList": webhooks})}) as (client, calls):
        assert client.delete_stale(mine) == 2

    assert calls[1:] == [f"DELETE {WEBHOOKS}/w1", f"DELETE {WEBHOOKS}/w3"]


def test_nobody_says_of_another_machine_or_a_tunnel_that_nobody_listens():
    mine = "https://mine.example.com/"
    webhooks = [
        webhook(1, "https://colleague.example.com/"),
        webhook(2, "http://192.0.2.1:9/"),
        webhook(3, mine),
        webhook(4, mine, "my own server"),
    ]

    with service({f"GET {WEBHOOKS}": (200, {"webhookList": webhooks})}) as (client, calls):
        assert client.delete_stale(mine) == 1

    assert calls[1:] == [f"DELETE {WEBHOOKS}/w3"]


def test_the_loopback_of_a_service_elsewhere_is_not_ours(monkeypatch):
    client, calls = WebhookClient("https://sandbox.example.com", "Vestibule ak:sk"), []
    listed = {"webhookList": [webhook(1, "http://127.0.0.1:9/")]}
    monkeypatch.setattr(client, "_call", lambda method, _url: calls.append(method) or listed)

    assert client.delete_stale("https://mine.example.com/") == 0

    assert calls == ["GET"]


@pytest.mark.parametrize(
    ("url", "is_ours"),
    [
        ("http://127.0.0.1:9/", True),
        ("http://[::1]:9/", True),
        ("http://localhost:9/", True),
        ("http://localhost.example.com/", False),
        ("https://127.0.0.1.example.com/", False),
    ],
)
def test_a_loopback_is_known(url, is_ours):
    assert is_loopback(url) == is_ours


def test_a_refusal_is_told_as_the_service_words_it():
    refusal = 409, {"errors": [{"message": "There can be at most 10."}]}

    with (
        service({f"PUT {WEBHOOKS}": refusal}) as (client, _),
        pytest.raises(Refusal, match=r"answers 409: There can be at most 10\."),
    ):
        client.register("https://hooks.example.com/")


def test_a_service_that_is_away_is_told_without_the_key():
    with pytest.raises(Refusal) as refused:
        WebhookClient("http://127.0.0.1:9", "Vestibule ak:sk").register("https://example.com")

    assert "cannot be reached" in str(refused.value)
    assert "ak:sk" not in str(refused.value)
