"""A code, or a refresh token, is exchanged for tokens."""

import base64
import logging
import threading
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from mcp_server.models import Connection
from mcp_server.oauth import codes
from mcp_server.oauth.validator import Validator, checksum
from mcp_server.services import connections
from tests import factories
from tests.mcp_server.oauth.conftest import CALLBACK, Flow, make_client, post

TEN = range(10)
REFRESH = {"grant_type": "refresh_token", "refresh_token": "x", "token": "x"}


def test_a_code_becomes_tokens(flow):
    code = flow.code("cards:read")

    response = flow.exchange(code)

    answer = response.json()
    token = AccessToken.objects.get(token_checksum=checksum(answer["access_token"]))
    assert answer == {
        "access_token": answer["access_token"],
        "expires_in": 3600,
        "token_type": "Bearer",
        "scope": "cards:read",
        "refresh_token": answer["refresh_token"],
    }
    assert response["Cache-Control"] == "no-store"
    assert (token.user, token.scope, token.token) == (flow.user, "cards:read", "")
    assert token.resource == [settings.MCP_URL]
    assert not Grant.objects.exists()


def test_the_user_has_then_a_connection(flow):
    flow.tokens()

    connection = Connection.objects.get()
    assert (connection.user, connection.application) == (flow.user, flow.client)
    assert (connection.client_name, connection.ended_at) == ("Helpful", None)


def test_a_new_consent_revives_an_ended_connection(flow):
    flow.tokens()
    connections.end(Connection.objects.get(), at=timezone.now())

    flow.tokens()

    assert Connection.objects.get().ended_at is None


def test_a_client_with_a_secret_must_know_it(make_flow):
    client = make_client(client_type="confidential", client_secret="the secret")
    flow = make_flow(client=client)
    code = flow.code()

    answers = [flow.exchange(code, client_secret=secret) for secret in (None, "wrong")]
    good = flow.exchange(code, client_secret="the secret")

    assert [(a.status_code, a.json()["error"]) for a in answers] == [(401, "invalid_client")] * 2
    assert good.status_code == 200


@pytest.mark.parametrize("first", ["https://claude.ai/callback", ""])
def test_an_exchange_may_leave_the_redirect_out_as_in_oauth_2_1(make_flow, first):
    flow = make_flow(client=make_client(redirect_uris=f"{first} {CALLBACK}".strip()))

    response = flow.exchange(flow.code(), redirect_uri=None)

    assert response.status_code == 200


def test_but_not_the_verifier_that_replaces_it(flow):
    code = flow.code()

    response = flow.exchange(code, redirect_uri=None, code_verifier="x" * 43)

    assert response.json()["error"] == "invalid_grant"


def test_a_loopback_exchange_has_the_port_of_its_request(make_flow):
    client = make_client(redirect_uris="http://127.0.0.1/callback")
    flow = make_flow(client=client, redirect_uri="http://127.0.0.1:4711/callback")
    code = flow.code()

    other = flow.exchange(code, redirect_uri="http://127.0.0.1:4712/callback")
    same = flow.exchange(code)

    assert (other.status_code, same.status_code) == (400, 200)


WRONG = {
    "another verifier": ({"code_verifier": "x" * 43}, "invalid_grant"),
    "no verifier": ({"code_verifier": None}, "invalid_request"),
    "another redirect": ({"redirect_uri": "https://evil.example.com/"}, "invalid_request"),
    "the redirect in capitals": ({"redirect_uri": CALLBACK.upper()}, "invalid_request"),
    "the redirect with a port": (
        {"redirect_uri": CALLBACK.replace(".com", ".com:443")},
        "invalid_request",
    ),
    "another code": ({"code": "another"}, "invalid_grant"),
    "no code": ({"code": None}, "invalid_request"),
    "another client": ({"client_id": "another"}, "invalid_client"),
    "no client": ({"client_id": None}, "invalid_client"),
    "a null": ({"code": "a\0b"}, "invalid_request"),
    "another resource": ({"resource": "https://other.example.com/"}, "invalid_target"),
    "a malformed resource": ({"resource": "nonsense"}, "invalid_target"),
    "an unknown grant": ({"grant_type": "magic"}, "unsupported_grant_type"),
    "the password grant": ({"grant_type": "password"}, "unsupported_grant_type"),
    "client credentials": ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
    "a device": (
        {"grant_type": "urn:ietf:params:oauth:grant-type:device_code"},
        "unsupported_grant_type",
    ),
    "no grant": ({"grant_type": None}, "unsupported_grant_type"),
    "two grants": ({"grant_type": ["authorization_code", "refresh_token"]}, "invalid_request"),
    "a long code": ({"code": "x" * 10_000}, "invalid_grant"),
    "strange letters": ({"code": "caf\u00e9 \u202e", "client_id": "\u2603"}, "invalid_client"),
}


@pytest.mark.parametrize(("values", "error"), WRONG.values(), ids=WRONG)
def test_a_wrong_exchange_is_refused(flow, values, error):
    code = flow.code()

    response = flow.exchange(**{"code": code, **values})

    assert response.status_code == (401 if error == "invalid_client" else 400)
    assert response.json()["error"] == error
    assert response["Cache-Control"] == "no-store"
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize(
    "authorization",
    [
        "Basic",
        "Basic !!!",
        "Basic 4pyT",
        "Bearer x",
        "Basic " + base64.b64encode(b"a:b").decode(),
        "Basic " + base64.b64encode(b"a\0b:c\0d").decode(),
    ],
)
def test_nonsense_in_the_header_is_refused(client, flow, authorization):
    response = client.post(
        "/token",
        {"grant_type": "authorization_code", "code": "x"},
        headers={"authorization": authorization},
    )

    assert response.status_code == 401


def test_dead_codes_and_tokens_are_cleared(flow):
    flow.code()
    dead, live = flow.tokens(), flow.tokens()
    month = timezone.now() - timedelta(days=31)
    Grant.objects.update(expires=month)
    AccessToken.objects.filter(token_checksum=checksum(dead["access_token"])).update(expires=month)

    call_command("cleartokens")

    assert not Grant.objects.exists()
    assert AccessToken.objects.count() == RefreshToken.objects.count() == 1
    assert flow.refresh(live["refresh_token"]).status_code == 200


def test_another_format_is_refused(client, db):
    for content_type in ("application/json", "text/plain", "multipart/form-data"):
        response = client.post("/token", b"{nonsense", content_type=content_type)
        assert response.status_code == 400

    assert client.get("/token").status_code == 405


@pytest.mark.parametrize("path", ["/token", "/revoke", "/register"])
@pytest.mark.parametrize("body", [b"a=" + b"x" * 3_000_000, b"a=1&" * 1_100])
@pytest.mark.parametrize(
    "content_type", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_a_body_that_is_too_much_is_no_error_of_ours(client, db, caplog, path, body, content_type):
    response = client.post(path, body, content_type=content_type)

    assert response.status_code == 400
    assert response.json()["error"].startswith("invalid_")
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("path", ["/token", "/revoke"])
def test_a_broken_address_for_a_client_is_no_error_of_ours(db, caplog, path):
    response = post(path, {**REFRESH, "client_id": "https://[::1"})

    assert (response.status_code, response.json()["error"]) == (401, "invalid_client")
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_parameters_in_the_address_are_refused(client, db):
    response = client.post("/token?code=%zz", {"grant_type": "authorization_code"})

    assert response.json()["error"] == "invalid_request"


def test_a_code_is_for_its_client(flow, make_flow):
    code = flow.code()
    thief = make_flow(flow.user, verifier=flow.verifier)

    response = thief.exchange(code)

    assert response.json()["error"] == "invalid_grant"


def test_a_code_presented_again_ends_the_tokens_of_its_first_exchange(flow):
    code = flow.code()
    tokens = flow.exchange(code).json()

    replayed = flow.exchange(code)

    assert replayed.json()["error"] == "invalid_grant"
    assert not AccessToken.objects.exists()
    assert flow.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert Connection.objects.get().ended_at


def test_a_replayed_code_ends_what_came_of_later_refreshes(flow):
    code = flow.code()
    tokens = flow.exchange(code).json()
    newest = flow.refresh(tokens["refresh_token"]).json()

    flow.exchange(code, code_verifier="x" * 43)

    assert flow.refresh(newest["refresh_token"]).json()["error"] == "invalid_grant"
    assert not AccessToken.objects.exists()


def test_a_replayed_code_leaves_the_tokens_of_other_codes(flow):
    code = flow.code()
    flow.exchange(code)
    other = flow.tokens()

    flow.exchange(code)

    assert flow.refresh(other["refresh_token"]).status_code == 200
    assert Connection.objects.get().ended_at is None


def test_a_code_replayed_by_another_client_revokes_nothing(flow, make_flow):
    code = flow.code()
    tokens = flow.exchange(code).json()

    make_flow(flow.user, verifier=flow.verifier).exchange(code)

    assert flow.refresh(tokens["refresh_token"]).status_code == 200


def test_a_code_replayed_without_the_clients_secret_revokes_nothing(make_flow):
    client = make_client(client_type="confidential", client_secret="the secret")
    flow = make_flow(client=client)
    code = flow.code()
    flow.exchange(code, client_secret="the secret")

    refused = flow.exchange(code, client_secret="wrong")

    assert refused.json()["error"] == "invalid_client"
    assert AccessToken.objects.exists()


def test_a_code_lasts_a_minute(flow):
    code = flow.code()
    Grant.objects.update(expires=timezone.now())

    assert flow.exchange(code).json()["error"] == "invalid_grant"


def test_whoever_may_not_sign_in_any_more_gets_no_tokens(flow):
    code = flow.code()
    tokens = flow.tokens()
    flow.user.is_active = False
    flow.user.save()

    answers = [flow.exchange(code), flow.refresh(tokens["refresh_token"])]

    assert [answer.json()["error"] for answer in answers] == ["invalid_grant"] * 2


def test_a_refresh_replaces_both_tokens(flow):
    old = flow.tokens("cards:read")

    new = flow.refresh(old["refresh_token"]).json()

    token = AccessToken.objects.get()
    assert token.token_checksum == checksum(new["access_token"])
    assert new["refresh_token"] not in {old["refresh_token"], old["access_token"]}
    assert new["access_token"] != new["refresh_token"]
    assert (new["scope"], token.resource) == ("cards:read", [settings.MCP_URL])
    assert RefreshToken.objects.get(revoked=None).token_checksum == checksum(new["refresh_token"])


def test_a_refresh_keeps_the_connection(flow):
    tokens = flow.tokens()
    before = Connection.objects.values().get()

    flow.refresh(tokens["refresh_token"])

    assert Connection.objects.values().get() == before


def test_a_paused_connection_is_refreshed_and_stays_paused(flow):
    tokens = flow.tokens()
    connections.pause(Connection.objects.get(), at=timezone.now())

    assert flow.refresh(tokens["refresh_token"]).status_code == 200
    assert Connection.objects.get().paused_at


def test_no_token_is_refreshed_after_the_last_day_of_the_access(flow):
    tokens = flow.tokens()
    Connection.objects.update(access_until=timezone.now().date() - timedelta(days=1))

    assert flow.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_code_from_before_the_pause_does_not_end_it(flow):
    flow.tokens()
    code = flow.code()
    connections.pause(Connection.objects.get(), at=timezone.now())

    response = flow.exchange(code)

    assert response.json()["error"] == "invalid_grant"
    assert Connection.objects.get().paused_at


def test_a_lost_answer_is_given_again(flow):
    old = flow.tokens()
    first = flow.refresh(old["refresh_token"]).json()

    second = flow.refresh(old["refresh_token"]).json()

    assert second | {"expires_in": 3600} == first
    assert 3590 <= second["expires_in"] <= 3600
    assert AccessToken.objects.count() == 1
    assert flow.refresh(first["refresh_token"]).status_code == 200


def test_an_old_token_ends_the_whole_family(flow):
    old = flow.tokens()
    new = flow.refresh(old["refresh_token"]).json()
    RefreshToken.objects.exclude(revoked=None).update(revoked=timezone.now() - timedelta(minutes=1))

    reused = flow.refresh(old["refresh_token"])

    assert reused.json()["error"] == "invalid_grant"
    assert flow.refresh(new["refresh_token"]).json()["error"] == "invalid_grant"
    assert not AccessToken.objects.exists()


def test_a_token_two_refreshes_old_is_never_honoured(flow):
    old = flow.tokens()
    new = flow.refresh(old["refresh_token"]).json()
    newest = flow.refresh(new["refresh_token"]).json()

    reused = flow.refresh(old["refresh_token"])

    assert reused.json()["error"] == "invalid_grant"
    assert flow.refresh(newest["refresh_token"]).json()["error"] == "invalid_grant"


def test_another_secret_key_cannot_repeat_an_answer(flow, settings):
    old = flow.tokens()
    new = flow.refresh(old["refresh_token"]).json()
    settings.SECRET_KEY = "another secret key"

    repeated = flow.refresh(old["refresh_token"])

    assert repeated.json()["error"] == "invalid_grant"
    assert flow.refresh(new["refresh_token"]).status_code == 200


def test_another_client_neither_refreshes_nor_revokes(flow, make_flow):
    tokens = flow.tokens()
    flow.refresh(tokens["refresh_token"])
    RefreshToken.objects.exclude(revoked=None).update(revoked=timezone.now() - timedelta(minutes=1))

    stolen = make_flow().refresh(tokens["refresh_token"])

    assert stolen.json()["error"] == "invalid_grant"
    assert RefreshToken.objects.filter(revoked=None).count() == 1


def test_a_refresh_may_take_fewer_scopes_but_not_more(flow):
    tokens = flow.tokens("accounts:read", "cards:read")

    more = flow.refresh(tokens["refresh_token"], scope="accounts:read tax:read")
    fewer = flow.refresh(tokens["refresh_token"], scope="cards:read")

    assert more.json()["error"] == "invalid_scope"
    assert fewer.json()["scope"] == "cards:read"


def test_a_refresh_is_for_this_server(flow):
    tokens = flow.tokens()

    wrong = flow.refresh(tokens["refresh_token"], resource="https://other.example.com/")
    right = flow.refresh(tokens["refresh_token"], resource=settings.MCP_URL)

    assert wrong.json()["error"] == "invalid_target"
    assert right.status_code == 200


def test_a_token_unused_for_thirty_days_is_dead(flow):
    tokens = flow.tokens()
    AccessToken.objects.update(expires=timezone.now() - timedelta(days=30))

    assert flow.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_an_ended_connection_is_not_refreshed(flow):
    tokens = flow.tokens()
    connections.end(Connection.objects.get(), at=timezone.now())

    assert flow.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "nonsense"])
def test_a_client_takes_its_tokens_back(flow, kind, hint):
    tokens = flow.tokens()
    body = {"token": tokens[kind], "client_id": flow.client.client_id, "token_type_hint": hint}

    response = post("/revoke", body)

    assert response.status_code == 200
    assert not AccessToken.objects.exists()
    assert flow.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert Connection.objects.get().ended_at


def test_a_connection_ends_with_its_last_token(flow):
    first, second = flow.tokens(), flow.tokens()
    client_id = flow.client.client_id

    post("/revoke", {"token": first["refresh_token"], "client_id": client_id})
    assert Connection.objects.get().ended_at is None

    post("/revoke", {"token": second["refresh_token"], "client_id": client_id})
    assert Connection.objects.get().ended_at


def test_a_client_takes_back_no_other_clients_tokens(flow):
    tokens = flow.tokens()

    body = {"token": tokens["refresh_token"], "client_id": make_client().client_id}
    response = post("/revoke", body)

    assert response.status_code == 200
    assert AccessToken.objects.exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"token": "x"}, 401),
        ({"token": "x", "client_id": "nobody"}, 401),
        ({"token": "a\0b"}, 400),
        ({"token": "unknown", "client_id": "ours"}, 200),
        ({"client_id": "ours"}, 400),
    ],
)
def test_a_strange_revocation_fails_cleanly(db, body, status):
    make_client(client_id="ours")

    assert post("/revoke", body).status_code == status


def test_a_failing_database_is_no_error_page(flow):
    code = flow.code()

    with patch.object(Validator, "save_bearer_token", side_effect=OperationalError("deadlock")):
        response = flow.exchange(code)

    assert (response.status_code, response["Retry-After"]) == (503, "1")
    assert response.json()["error"] == "temporarily_unavailable"
    assert flow.exchange(code).status_code == 200


def test_an_exchange_without_a_database_is_no_error_page(flow):
    code = flow.code()

    with patch.object(codes, "is_unspent", side_effect=OperationalError("connection refused")):
        response = flow.exchange(code)

    assert response.status_code == 503
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response.json()["error"] == "temporarily_unavailable"


def test_a_closed_connection_is_no_error_page(flow):
    tokens = flow.tokens()

    with patch.object(Validator, "authenticate_client_id", side_effect=InterfaceError("closed")):
        response = flow.refresh(tokens["refresh_token"])

    assert response.status_code == 503
    assert response.json()["error"] == "temporarily_unavailable"


def test_an_exchange_and_a_refresh_cost_few_statements(flow, django_assert_max_num_queries):
    code = flow.code()

    with django_assert_max_num_queries(26):
        tokens = flow.exchange(code).json()
    with django_assert_max_num_queries(22):
        flow.refresh(tokens["refresh_token"])
    with django_assert_max_num_queries(14):
        flow.refresh(tokens["refresh_token"])


@pytest.fixture
def arrivals(monkeypatch):
    """Let no exchange go on before ten of them have arrived."""
    barrier, is_unspent = threading.Barrier(len(TEN)), codes.is_unspent

    def wait(code):
        found = is_unspent(code)
        barrier.wait(timeout=60)
        return found

    monkeypatch.setattr(codes, "is_unspent", wait)


@pytest.mark.usefixtures("arrivals")
def test_ten_exchanges_of_one_code_get_one_answer(in_threads):
    flow = Flow(factories.make_user(), make_client())
    code = flow.code()

    answers = in_threads(lambda _: flow.exchange(code), TEN)

    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 9
    errors = {answer.json()["error"] for answer in answers if answer.status_code == 400}
    assert errors == {"invalid_grant"}
    assert AccessToken.objects.count() == RefreshToken.objects.count() == 1


def test_ten_codes_at_once_make_one_connection(in_threads):
    flow = Flow(factories.make_user(), make_client())
    codes = [flow.code() for _ in TEN]

    answers = in_threads(flow.exchange, codes)

    assert {answer.status_code for answer in answers} == {200}
    assert Connection.objects.count() == 1


def test_ten_refreshes_of_one_token_get_the_same_answer(in_threads):
    flow = Flow(factories.make_user(), make_client())
    old = flow.tokens()

    answers = in_threads(lambda _: flow.refresh(old["refresh_token"]), TEN)

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["access_token"] for answer in answers}) == 1
    assert len({answer.json()["refresh_token"] for answer in answers}) == 1
    assert AccessToken.objects.count() == 1


def test_an_ending_beside_refreshes_leaves_no_token(in_threads):
    flow = Flow(factories.make_user(), make_client())
    families = [flow.tokens()["refresh_token"] for _ in range(5)]
    codes = [flow.code() for _ in range(3)]
    connection = Connection.objects.get()

    def act(step):
        if step is None:
            return connections.end(connection, at=timezone.now())
        return flow.exchange(step) if step in codes else flow.refresh(step)

    answers = in_threads(act, [*families, None, *codes])

    assert not [answer for answer in answers if isinstance(answer, Exception)]
    if Connection.objects.get().ended_at:
        assert not AccessToken.objects.exists()
    assert not RefreshToken.objects.filter(token_checksum__in=map(checksum, families)).exists()


def test_revocations_beside_refreshes_fail_cleanly(in_threads):
    flow = Flow(factories.make_user(), make_client())
    tokens = flow.tokens()

    def act(number):
        if number % 2:
            return flow.refresh(tokens["refresh_token"])
        body = {"token": tokens["refresh_token"], "client_id": flow.client.client_id}
        return post("/revoke", body)

    answers = in_threads(act, TEN)

    assert {answer.status_code for answer in answers} <= {200, 400}
    assert connection.vendor in {"sqlite", "postgresql"}
