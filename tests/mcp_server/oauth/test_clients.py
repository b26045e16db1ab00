"""Who asks for access, as far as that can be known."""

import json
from io import StringIO

import pytest
import urllib3
from django.core.cache import cache
from django.core.management import call_command
from django.utils import timezone
from oauth2_provider import cimd
from oauth2_provider.models import Application

from mcp_server.oauth.clients import ClientIdentity, MetadataFetcher, identify
from tests.mcp_server.oauth.conftest import CALLBACK

DOCUMENT_URL = "https://assistant.example.com/client.json"
DOCUMENT = {
    "client_id": DOCUMENT_URL,
    "client_name": "Helpful",
    "redirect_uris": [CALLBACK, "http://127.0.0.1/callback"],
    "token_endpoint_auth_method": "none",
}


class Answer:
    """What a host sends back for its document."""

    def __init__(self, body, status=200, content_type="application/json"):
        self.status = status
        self.headers = {"Content-Type": content_type, "Cache-Control": "max-age=600"}
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()

    def read(self, amount):
        return self.body[:amount]

    def release_conn(self):
        pass


@pytest.fixture(autouse=True)
def _no_backoff():
    cache.clear()


@pytest.fixture
def host(monkeypatch):
    """Let a public host answer; returns what it was asked, and is told what it answers."""

    class Host:
        answer = Answer(DOCUMENT)
        addresses = ["8.8.8.8"]
        asked = []

    def resolve(name, port, **kwargs):
        return [(2, 1, 6, "", (address, port)) for address in host.addresses]

    def urlopen(pool, method, path, **kwargs):
        host.asked.append((pool.host, pool.port, method, path, kwargs["redirect"]))
        return host.answer

    host = Host()
    host.asked = []
    monkeypatch.setattr("socket.getaddrinfo", resolve)
    monkeypatch.setattr(urllib3.HTTPSConnectionPool, "urlopen", urlopen)
    return host


@pytest.fixture
def flow(make_flow):
    return make_flow(client=Application(client_id=DOCUMENT_URL))


def test_a_client_is_known_by_its_document(flow, host):
    response = flow.ask()

    application = Application.objects.get()
    assert response.context["client"].name == "Helpful"
    assert host.asked == [("8.8.8.8", 443, "GET", "/client.json", False)]
    assert (application.client_id, application.registration_source) == (DOCUMENT_URL, "cimd")
    assert application.client_type == "public"
    assert 590 < (application.cimd_expires_at - timezone.now()).total_seconds() <= 600


def test_the_whole_flow_fetches_the_document_once(flow, host):
    flow.ask()
    tokens = flow.tokens()

    assert flow.refresh(tokens["refresh_token"]).status_code == 200
    assert len(host.asked) == 1


def test_a_document_may_name_grants_that_we_do_not_offer(flow, host):
    grants = ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]
    host.answer = Answer({**DOCUMENT, "grant_types": grants})

    assert flow.ask().status_code == 200


def test_a_document_names_a_client_on_one_line(flow, host):
    host.answer = Answer({**DOCUMENT, "client_name": "Bank\0\u202e\nSupport"})

    flow.ask()

    assert Application.objects.get().name == "Bank Support"


NOT_ACCEPTED = "The server answered, but with details that we cannot accept."
REFUSED = {
    "not found": Answer(DOCUMENT, status=404),
    "a redirect": Answer(DOCUMENT, status=302),
    "a page": Answer(DOCUMENT, content_type="text/html"),
    "no JSON": Answer(b"nonsense"),
    "a list": Answer([DOCUMENT]),
    "too deep": Answer(b"[" * 15_000),
    "too long": Answer({**DOCUMENT, "client_name": "x" * 17_000}),
    "another client": Answer({**DOCUMENT, "client_id": "https://other.example.com/client.json"}),
    "a secret": Answer({**DOCUMENT, "client_secret": "x"}),
    "a key": Answer({**DOCUMENT, "token_endpoint_auth_method": "private_key_jwt"}),
    "no redirects": Answer({**DOCUMENT, "redirect_uris": []}),
    "a number of redirects": Answer({**DOCUMENT, "redirect_uris": 1}),
    "http elsewhere": Answer({**DOCUMENT, "redirect_uris": ["http://evil.example.com/"]}),
    "implicit": Answer({**DOCUMENT, "grant_types": ["implicit"]}),
    "a list for a name": Answer({**DOCUMENT, "client_name": ["a"]}),
}


@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED)
def test_a_bad_document_is_an_unknown_client(flow, host, answer):
    host.answer = answer

    response = flow.ask()

    assert response.status_code == 400
    assert "Location" not in response
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "fd00::1"]
)
def test_no_document_is_fetched_from_inside(flow, host, address):
    host.addresses = ["8.8.8.8", address]

    assert flow.ask().status_code == 400
    assert host.asked == []


@pytest.mark.parametrize(
    "client_id",
    [
        "http://assistant.example.com/client.json",
        "https://assistant.example.com",
        "https://me@assistant.example.com/client.json",
        "https://assistant.example.com/a/../client.json",
        "https://assistant.example.com:99999/client.json",
        "https://[/client.json",
        "https://[::1",
        "ftp://assistant.example.com/client.json",
    ],
)
def test_only_plain_https_addresses_are_fetched(make_flow, host, client_id):
    response = make_flow(client=Application(client_id=client_id)).ask()

    assert response.status_code == 400
    assert host.asked == []


def test_the_page_names_the_host_whose_document_cannot_be_read(flow, host, caplog):
    host.answer = Answer(b"", status=500)

    page = flow.ask().content.decode()

    assert "We could not load the details of this assistant from assistant.example.com." in page
    assert "call us and tell us that we cannot load" in page
    reason = "client_id document returned HTTP 500"
    assert f"client document {DOCUMENT_URL} cannot be used: {reason}" in caplog.messages


@pytest.mark.parametrize(
    ("answer", "addresses", "fault"),
    [
        ("not found", ["8.8.8.8"], "The server that has the details answered with an error."),
        ("not found", ["10.0.0.1"], "We could not reach the server that has the details."),
        ("a page", ["8.8.8.8"], NOT_ACCEPTED),
        ("too long", ["8.8.8.8"], NOT_ACCEPTED),
        ("a secret", ["8.8.8.8"], NOT_ACCEPTED),
        ("http elsewhere", ["8.8.8.8"], NOT_ACCEPTED),
    ],
)
def test_the_page_says_why_a_document_is_not_used(flow, host, answer, addresses, fault):
    host.answer, host.addresses = REFUSED[answer], addresses

    page = flow.ask().content.decode()

    assert fault in page
    assert "Invalid client_id" not in page
    assert not any(one in page for one in ["HTTP 404", "10.0.0.1", "client_secret"])


def test_the_page_of_a_second_attempt_shows_no_internals(flow, host):
    host.answer = REFUSED["not found"]
    flow.ask()

    page = flow.ask().content.decode()

    assert len(host.asked) == 1
    assert "We could not load the details of this assistant" in page
    assert "Invalid client_id" not in page


def test_the_page_repeats_no_fault_of_an_earlier_request(flow, host):
    host.answer = REFUSED["not found"]
    flow.ask()

    page = flow.ask(client_id="nobody").content.decode()

    assert "The server that has the details" not in page


def test_the_page_finds_no_fault_with_a_document_that_is_used(flow, host):
    page = flow.ask(redirect_uri="https://other.example.com/callback").content.decode()

    assert Application.objects.exists()
    assert "has not registered" in page
    assert NOT_ACCEPTED not in page


def test_the_page_says_that_documents_are_not_looked_up(flow, host, settings):
    settings.CLIENT_DOCUMENTS = "off"
    settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "CIMD_ENABLED": False}

    page = flow.ask().content.decode()

    assert "We cannot look up assistants at assistant.example.com." in page
    assert host.asked == []


@pytest.mark.parametrize("client_id", ["https://call 555 0100/x", "https://[/client.json"])
def test_the_page_repeats_nothing_that_is_no_host(make_flow, host, client_id):
    page = make_flow(client=Application(client_id=client_id)).ask().content.decode()

    assert "We do not recognize this assistant." in page
    assert "details of this assistant" not in page


def test_no_document_is_fetched_while_outbound_is_off(flow, host, settings, caplog):
    settings.OUTBOUND = False

    assert flow.ask().status_code == 400
    assert host.asked == []
    assert f"client document {DOCUMENT_URL} cannot be used: OUTBOUND is off" in caplog.messages


def test_a_failed_fetch_is_not_repeated_at_once(flow, host):
    host.answer = Answer(b"", status=500)

    flow.ask()
    flow.ask()

    assert len(host.asked) == 1


def test_strangers_make_us_fetch_nothing(flow, host):
    flow.browser.logout()

    answers = [flow.ask(), flow.exchange("code"), flow.refresh("token")]

    assert [answer.status_code for answer in answers] == [302, 401, 401]
    assert host.asked == []


def test_an_address_makes_us_fetch_so_often_an_hour(make_flow, host, settings):
    settings.RATE_LIMIT_FACTOR, settings.REGISTRATIONS_PER_HOUR = 1, 1
    second = "https://assistant.example.com/second.json"

    statuses = [
        make_flow(client=Application(client_id=url)).ask().status_code
        for url in (DOCUMENT_URL, second)
    ]

    assert statuses == [200, 400]
    assert len(host.asked) == 1


def test_a_stale_document_is_fetched_again_when_the_user_is_asked(flow, host):
    flow.ask()
    Application.objects.update(cimd_expires_at=timezone.now())
    host.answer = Answer({**DOCUMENT, "client_name": "Renamed"})

    assert flow.ask().context["client"].name == "Renamed"


def test_a_document_that_cannot_be_had_again_stays_good(flow, host):
    flow.ask()
    Application.objects.update(cimd_expires_at=timezone.now())
    host.answer = Answer(b"", status=500)

    assert flow.ask().status_code == 200


def test_stale_documents_without_tokens_are_cleared(flow, host):
    flow.ask()
    Application.objects.update(cimd_expires_at=timezone.now())

    call_command("clearcimdapplications", stdout=StringIO())

    assert not Application.objects.exists()


def test_a_fetcher_says_why_it_refuses(host):
    host.answer = Answer({**DOCUMENT, "redirect_uris": ["http://evil.example.com/"]})

    with pytest.raises(cimd.CIMDError, match="redirect_uri must be https"):
        MetadataFetcher().fetch(DOCUMENT_URL)


IDENTITIES = {
    "https://claude.ai/api/mcp/auth_callback": ("claude.ai", True, False),
    "https://www.cursor.com/agents/mcp/oauth/callback": ("www.cursor.com", True, False),
    "https://claude.ai.example.com/callback": ("claude.ai.example.com", False, False),
    "https://notclaude.ai/callback": ("notclaude.ai", False, False),
    "http://127.0.0.1:4711/callback": ("127.0.0.1", False, True),
    "http://localhost/callback": ("localhost", False, True),
    "cursor://claude.ai/callback": ("cursor:", False, True),
}


@pytest.mark.parametrize(("uri", "facts"), IDENTITIES.items(), ids=IDENTITIES)
def test_what_counts_is_where_the_answer_goes(uri, facts):
    identity = identify(Application(name="Claude", client_id="x"), uri)

    assert identity == ClientIdentity("Claude", *facts)


def test_a_program_is_from_where_its_document_is():
    application = Application(name="Helpful", client_id="https://claude.ai/client.json")

    identity = identify(application, "http://127.0.0.1:4711/callback")

    assert identity == ClientIdentity(
        "Helpful", "claude.ai", is_known=False, is_loopback=True, publisher="claude.ai"
    )


def test_the_page_names_the_host_of_a_programs_document(make_flow, host):
    client = Application(client_id=DOCUMENT_URL)

    page = make_flow(client=client, redirect_uri="http://127.0.0.1:4711/callback").ask()

    text = page.content.decode()
    assert "A program on this computer" in text
    assert 'from <span class="host">assistant.example.com</span>' in text


def test_a_document_of_one_host_cannot_hide_where_the_answer_goes():
    application = Application(name="Helpful", client_id="https://claude.ai/client.json")

    assert identify(application, "https://evil.example.com/").host == "evil.example.com"
