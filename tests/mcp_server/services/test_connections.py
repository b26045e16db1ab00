"""An assistant reads for somebody, for a while, and no longer."""

from datetime import timedelta

import pytest
from django.conf import settings
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from mcp_server.limits import Limits
from mcp_server.models import Connection
from mcp_server.services import connections
from tests.factories import NOON, later


@pytest.fixture
def application(db):
    return Application.objects.create(
        name="Helpful", client_type="public", authorization_grant_type="authorization-code"
    )


@pytest.fixture
def connection(application, make_user):
    return connections.connect(make_user(), application, at=NOON)


@pytest.fixture
def tokens(connection):
    """Let the assistant hold a code, an access token and a refresh token."""
    holder = {"user": connection.user, "application": connection.application}
    access = AccessToken.objects.create(
        token="access", expires=NOON + timedelta(hours=1), scope="cards:read", **holder
    )
    Grant.objects.create(code="code", expires=NOON, **holder)
    return RefreshToken.objects.create(token="refresh", access_token=access, **holder)


def held(connection):
    """Return how many codes and tokens an assistant has."""
    theirs = {"user": connection.user, "application": connection.application}
    return sum(m.objects.filter(**theirs).count() for m in (Grant, AccessToken, RefreshToken))


def test_an_assistant_is_connected_once(application, make_user):
    user = make_user()
    first = connections.connect(user, application, at=NOON)
    application.name = "Helpful 2"

    second = connections.connect(user, application, at=later(days=1))

    assert second == first
    assert Connection.objects.get().client_name == "Helpful 2"
    assert second.created_at == NOON


def test_the_host_is_where_the_last_answer_went(connection):
    again = connections.connect(
        connection.user, connection.application, host="helpful.example.com", at=NOON
    )

    assert (connection.client_host, again.client_host) == ("", "helpful.example.com")


def test_a_consent_to_less_takes_the_rest_away(connection, tokens):
    connections.drop_wider_tokens(connection, ["cards:read", "tax:read"])
    assert RefreshToken.objects.exists()

    connections.drop_wider_tokens(connection, ["tax:read"])

    assert not RefreshToken.objects.exists()
    assert not AccessToken.objects.exists()


def test_connecting_again_revives_what_was_ended(connection):
    connections.end(connection, at=NOON)

    revived = connections.connect(connection.user, connection.application, at=later(days=1))

    assert (revived.pk, revived.ended_at) == (connection.pk, None)


def test_connecting_again_resumes_what_was_paused(connection):
    connections.pause(connection, at=NOON)

    connections.connect(connection.user, connection.application, at=later(days=1))

    connection.refresh_from_db()
    assert connection.paused_at is None


def test_a_pause_lasts_until_it_is_resumed(connection):
    assert connections.pause(connection, at=NOON)
    assert not connections.pause(connection, at=later(hours=1))
    connection.refresh_from_db()
    assert connection.paused_at == NOON

    assert connections.resume(connection)
    assert not connections.resume(connection)
    connection.refresh_from_db()
    assert connection.paused_at is None


def test_a_pause_takes_back_the_code_and_leaves_the_tokens(connection, tokens):
    connections.pause(connection, at=NOON)

    assert not Grant.objects.exists()
    assert held(connection) == 2


def test_what_has_ended_cannot_be_paused(connection):
    connections.end(connection, at=NOON)

    assert not connections.pause(connection, at=later(hours=1))


def test_ending_takes_every_token_back(connection, tokens):
    connections.pause(connection, at=NOON)

    connections.end(connection, at=later(hours=1))

    assert held(connection) == 0
    connection.refresh_from_db()
    assert (connection.ended_at, connection.paused_at) == (later(hours=1), None)


def test_ending_twice_keeps_the_first_time(connection):
    connections.end(connection, at=NOON)

    connections.end(connection, at=later(hours=1))

    connection.refresh_from_db()
    assert connection.ended_at == NOON


def test_a_connection_ends_after_its_last_day(connection, tokens):
    Connection.objects.update(access_until=NOON.date())

    early, late = connections.end_over(at=NOON), connections.end_over(at=later(days=1))

    assert (early, late) == (0, 1)
    assert held(connection) == 0
    connection.refresh_from_db()
    assert connection.ended_at == later(days=1)


def test_a_new_consent_does_not_renew_tokens_from_before_the_last_day(connection, tokens):
    Connection.objects.update(access_until=NOON.date())

    connections.limit_at_consent(
        connection.user, connection.application, Limits(), at=later(days=1)
    )

    assert held(connection) == 0
    connection.refresh_from_db()
    assert (connection.access_until, connection.ended_at) == (None, later(days=1))


def test_a_token_by_command_begins_an_access_without_the_former_end(make_user):
    user, asked = make_user(), {"client_name": "curl", "scopes": ["cards:read"]}
    connections.issue_token(user, at=NOON, **asked)
    Connection.objects.update(access_until=NOON.date())

    connections.issue_token(user, at=later(days=1), **asked)

    assert Connection.objects.get().access_until is None


def test_ending_touches_nobody_else(connection, tokens, make_user):
    neighbour = connections.connect(make_user(), connection.application, at=NOON)

    connections.end(neighbour, at=NOON)

    assert held(connection) == 3
    connection.refresh_from_db()
    assert connection.ended_at is None


def test_an_assistant_whose_client_is_gone_can_be_ended(connection, tokens):
    connection.application.delete()
    connection.refresh_from_db()

    connections.end(connection, at=NOON)

    connection.refresh_from_db()
    assert connection.ended_at == NOON


def test_all_can_be_ended_at_once(connection, make_user):
    other = Application.objects.create(client_type="public")
    connections.connect(connection.user, other, at=NOON)
    neighbour = connections.connect(make_user(), other, at=NOON)

    count = connections.end_all(connection.user, at=NOON)

    assert count == 2
    assert Connection.objects.get(ended_at=None) == neighbour


def test_a_connection_with_a_token_left_goes_on(connection, tokens):
    connections.end_if_spent(connection, at=later(days=1))
    connection.refresh_from_db()
    assert connection.ended_at is None

    tokens.delete()
    connections.end_if_spent(connection, at=later(days=1))
    connection.refresh_from_db()
    assert connection.ended_at == later(days=1)


def test_a_client_that_leaves_ends_its_connections(connection, tokens):
    connections.remove_client(connection.application, at=NOON)

    connection.refresh_from_db()
    assert (connection.ended_at, connection.application) == (NOON, None)
    assert not AccessToken.objects.exists()


def test_a_token_can_be_had_without_a_browser(make_user):
    user = make_user()

    secret = connections.issue_token(user, client_name="curl", scopes=["cards:read"], at=NOON)
    connections.issue_token(user, client_name="curl", scopes=["cards:read"], at=NOON)

    token = AccessToken.objects.order_by("pk").first()
    assert len(secret) == 43
    assert (token.user, token.scope, token.resource) == (user, "cards:read", [settings.MCP_URL])
    assert (token.expires, token.token) == (later(hours=1), "")
    assert Connection.objects.get().client_name == "curl"


def test_staff_get_no_token(make_user):
    staff = make_user(user_type="STAFF")

    with pytest.raises(connections.NotForStaff):
        connections.issue_token(staff, client_name="curl", scopes=[], at=NOON)


def test_only_a_live_connection_is_held(connection, django_assert_num_queries):
    held = connections.hold(connection.user_id, connection.application)
    connections.end(connection, at=NOON)

    assert held == connection
    assert connections.hold(connection.user_id, connection.application) is None
