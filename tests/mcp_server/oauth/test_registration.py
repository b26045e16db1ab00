"""Clients introduce themselves."""

import json

import pytest
from django.conf import settings
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application

from mcp_server.models import Connection
from mcp_server.services import connections
from tests.mcp_server.oauth.conftest import CALLBACK, Flow, post_json

PUBLIC = {
    "client_name": "Helpful",
    "redirect_uris": [CALLBACK],
    "token_endpoint_auth_method": "none",
}


def register(**values):
    return post_json("/register", {**PUBLIC, **values})


def manage(method, registered, body=None, *, token=None):
    """Call a registration's own address with its own token."""
    from django.test import Client

    return getattr(Client(), method)(
        registered["registration_client_uri"].removeprefix(settings.BASE_URL),
        *([json.dumps(body)] if body is not None else []),
        headers={"authorization": f"Bearer {token or registered['registration_access_token']}"},
        **({"content_type": "application/json"} if body is not None else {}),
    )


def test_a_public_client_gets_an_id_and_no_secret(db):
    before = int(timezone.now().timestamp())

    response = register()

    answer = response.json()
    issued_at, token = answer.pop("client_id_issued_at"), answer.pop("registration_access_token")
    application = Application.objects.get()
    assert response.status_code == 201
    assert answer == {
        "client_id": application.client_id,
        "client_name": "Helpful",
        "redirect_uris": [CALLBACK],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "registration_client_uri": f"http://testserver/register/{application.client_id}",
    }
    assert before <= issued_at <= before + 60
    assert len(token) > 40
    assert response["Cache-Control"] == "no-store"
    assert application.registration_source == "dcr"


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_a_client_that_keeps_secrets_gets_one(db, method):
    answer = register(token_endpoint_auth_method=method).json()

    assert answer["token_endpoint_auth_method"] == method
    assert answer["client_secret_expires_at"] == 0
    assert answer["client_secret"] not in Application.objects.get().client_secret


def test_a_client_belongs_to_nobody(make_user, client):
    client.force_login(make_user(), "django.contrib.auth.backends.ModelBackend")

    client.post("/register", json.dumps(PUBLIC), content_type="application/json")

    assert Application.objects.get().user is None
    assert AccessToken.objects.get().user is None


def test_grants_that_we_do_not_offer_are_left_out(db):
    grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]

    answer = register(grant_types=grants).json()

    assert answer["grant_types"] == ["authorization_code", "refresh_token"]


def test_what_well_known_clients_send_is_registered(db):
    cursor = [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
    ]
    editor = ["https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"]

    responses = [register(redirect_uris=uris) for uris in (cursor, editor, ["http://[::1]/cb"])]

    assert [response.status_code for response in responses] == [201, 201, 201]
    assert responses[0].json()["redirect_uris"] == cursor


def test_a_name_that_misleads_is_cleaned(db):
    register(client_name="Bank\u202e\u200b \n Support" + "x" * 500)

    name = Application.objects.get().name
    assert name.startswith("Bank Supportxx")
    assert len(name) == 80


URIS = {
    "http elsewhere": ["http://assistant.example.com/callback"],
    "one of two": [CALLBACK, "http://assistant.example.com/callback"],
    "two in one": [f"{CALLBACK} http://evil.example.com/"],
    "a host like loopback": ["http://127.0.0.1.example.com/callback"],
    "a script": ["javascript:alert(1)"],
    "data": ["data:text/html,x"],
    "an unknown program": ["evil://callback"],
    "brackets": ["https://[/"],
    "a backslash": ["https://evil.example.com\\@claude.ai/callback"],
    "a backslash before loopback": ["http://evil.example.com\\@127.0.0.1/callback"],
    "a backslash in the path": ["https://assistant.example.com/\\callback"],
    "a name before the host": ["https://claude.ai@evil.example.com/callback"],
    "a password before the host": ["http://claude.ai:x@127.0.0.1/callback"],
    "a semicolon": ["https://evil.example.com;claude.ai/callback"],
    "a comma": ["https://evil.example.com,claude.ai/callback"],
    "a tab": ["https://evil.example.com\t/callback"],
    "a line break": ["https://evil.example.com\n/callback"],
    "a strange port": ["https://evil.example.com:8o/callback"],
    "a zone": ["http://[::1%25evil.example.com]/callback"],
    "a letter that looks alike": ["https://cl\u0430ude.ai/callback"],
    "an escape in the host": ["https://claude%2eai/callback"],
    "no host": ["https:///callback"],
    "a null": ["https://a.example.com/\0"],
    "a number": [1],
    "a list": [[CALLBACK]],
    "none": [],
    "too many": [f"{CALLBACK}/{number}" for number in range(21)],
    "too long": [CALLBACK + "x" * 2000],
}


@pytest.mark.parametrize("uris", URIS.values(), ids=URIS)
def test_answers_go_to_safe_places_only(db, uris):
    response = register(redirect_uris=uris)

    assert response.status_code == 400
    assert response.json()["error"] == "invalid_redirect_uri"
    assert not Application.objects.exists()


METADATA = {
    "a fragment": {"redirect_uris": [f"{CALLBACK}#x"]},
    "no list of redirects": {"redirect_uris": CALLBACK},
    "no redirects": {"redirect_uris": None},
    "implicit": {"grant_types": ["implicit"]},
    "a password": {"grant_types": ["password"]},
    "refresh alone": {"grant_types": ["refresh_token"]},
    "no grants": {"grant_types": []},
    "nonsense for grants": {"grant_types": "authorization_code"},
    "a token at once": {"response_types": ["token"]},
    "a key": {"token_endpoint_auth_method": "private_key_jwt"},
    "nonsense for a method": {"token_endpoint_auth_method": ["none"]},
    "nonsense for a name": {"client_name": ["a"]},
}


@pytest.mark.parametrize("values", METADATA.values(), ids=METADATA)
def test_other_clients_are_refused(db, values):
    response = register(**values)

    assert response.status_code == 400
    assert response.json()["error"] == "invalid_client_metadata"
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"[]", b"1", b"\xff", b"[" * 16_000, b" " * 17_000 + b"{}"]
)
def test_a_strange_body_fails_cleanly(client, db, body):
    response = client.post("/register", body, content_type="application/json")

    assert response.status_code == 400
    assert response.json()["error"] == "invalid_client_metadata"


def test_an_address_registers_so_many_clients_an_hour(settings, db):
    settings.RATE_LIMIT_FACTOR, settings.REGISTRATIONS_PER_HOUR = 1, 2

    responses = [register() for _ in range(3)]
    elsewhere = post_json("/register", PUBLIC, REMOTE_ADDR="203.0.113.7")

    assert [response.status_code for response in responses] == [201, 201, 429]
    assert 3500 < int(responses[2]["Retry-After"]) <= 3600
    assert elsewhere.status_code == 201


def test_a_network_registers_so_many_clients_an_hour(settings, db):
    settings.RATE_LIMIT_FACTOR, settings.REGISTRATIONS_PER_HOUR = 1, 2
    addresses = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"]

    answers = [post_json("/register", PUBLIC, REMOTE_ADDR=address) for address in addresses]

    assert [answer.status_code for answer in answers] == [201, 201, 429, 201]


def test_a_client_looks_at_its_registration(db):
    registered = register().json()

    shown = manage("get", registered)

    assert shown.json() == registered
    assert shown["Cache-Control"] == "no-store"


def test_a_client_replaces_its_registration(db):
    registered = register().json()
    other = "https://other.example.com/callback"

    replaced = manage("put", registered, {**PUBLIC, "redirect_uris": [other]})
    refused = manage("put", registered, {**PUBLIC, "redirect_uris": ["http://evil.example.com/"]})

    assert replaced.json()["redirect_uris"] == [other]
    assert refused.json()["error"] == "invalid_redirect_uri"
    assert Application.objects.get().redirect_uris == other


def test_a_client_that_deletes_itself_ends_its_connections(db, make_user):
    registered = register().json()
    application = Application.objects.get()
    connections.connect(make_user(), application, at=timezone.now())

    response = manage("delete", registered)

    assert response.status_code == 204
    assert not Application.objects.exists()
    assert Connection.objects.get().ended_at


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_a_registration_is_its_clients_alone(db, method):
    registered, other = register().json(), register().json()
    body = PUBLIC if method == "put" else None

    responses = [
        manage(method, registered, body, token=other["registration_access_token"]),
        manage(method, registered, body, token="nonsense"),
    ]

    assert [response.status_code for response in responses] == [401, 401]
    assert Application.objects.count() == 2


def test_an_access_token_manages_no_registration(make_user):
    registered = register().json()
    flow = Flow(make_user(), Application.objects.get())

    response = manage("delete", registered, token=flow.tokens()["access_token"])

    assert response.status_code == 401
