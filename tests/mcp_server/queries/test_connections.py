"""Which assistants read for somebody, how much, and what of."""

from datetime import timedelta

import pytest
from oauth2_provider.models import AccessToken, Application, RefreshToken

from mcp_server.models import AccessLogEntry, Connection
from mcp_server.queries import connections
from mcp_server.queries.connections import CallsOfDay, State
from mcp_server.scopes import Scope
from mcp_server.services import connections as services
from tests.factories import NOON, later, make_user


def make_connection(user=None, **values):
    application = Application.objects.create(
        name="Helpful",
        client_type="public",
        authorization_grant_type="authorization-code",
        redirect_uris="https://assistant.example.com/callback",
        **values,
    )
    host = "assistant.example.com"
    return services.connect(user or make_user(), application, host=host, at=NOON)


def make_token(connection, *, scope="cards:read", expires=None, refreshable=False):
    holder = {"user": connection.user, "application": connection.application}
    number = AccessToken.objects.count()
    token = AccessToken.objects.create(
        token=f"access {number}", expires=expires or later(hours=1), scope=scope, **holder
    )
    if refreshable:
        RefreshToken.objects.create(token=f"refresh {number}", access_token=token, **holder)
    return token


def log_call(connection, at=NOON, **values):
    values = {"tool": "svc_list_cards", "outcome": "OK", "duration_ms": 7, **values}
    return AccessLogEntry.objects.create(connection=connection, at=at, request_id="r", **values)


@pytest.fixture
def connection(db):
    return make_connection()


def test_an_access_whose_last_day_has_passed_is_shown_as_removed(connection):
    make_token(connection, expires=later(days=9))
    Connection.objects.update(access_until=NOON.date())

    states = [
        connections.list_assistants(connection.user, at=at)[0].state for at in (NOON, later(days=1))
    ]

    assert states == [State.LIVE, State.ENDED]


def test_an_assistant_is_shown_with_its_use(connection):
    make_token(connection, scope="tax:read cards:read")
    make_token(connection, scope="bills:read")
    for at in (later(days=-40), later(days=-1), NOON, later(seconds=1)):
        log_call(connection, at)

    (shown,) = connections.list_assistants(connection.user, at=later(minutes=1))

    assert (shown.connection, shown.client_name) == (connection, "Helpful")
    assert (shown.host, shown.state) == ("assistant.example.com", State.LIVE)
    assert shown.scopes == [Scope.BILLS, Scope.CARDS, Scope.TAX]
    assert (shown.first_used_at, shown.last_used_at) == (later(days=-40), later(seconds=1))
    assert len(shown.calls_per_day) == 30
    assert shown.calls_per_day[-3:] == [
        CallsOfDay(later(days=-2).date(), 0),
        CallsOfDay(later(days=-1).date(), 1),
        CallsOfDay(NOON.date(), 2),
    ]
    assert shown.calls == 3


def test_days_are_counted_in_utc(connection):
    log_call(connection, NOON.replace(hour=0, minute=0))
    log_call(connection, NOON.replace(hour=23, minute=59) - timedelta(days=1))

    (shown,) = connections.list_assistants(connection.user, at=NOON)

    assert [day.calls for day in shown.calls_per_day[-2:]] == [1, 1]


def test_an_assistant_that_never_called_has_no_dates(connection):
    (shown,) = connections.list_assistants(connection.user, at=NOON)

    assert (shown.first_used_at, shown.last_used_at, shown.calls) == (None, None, 0)


def test_each_connection_has_a_state(connection):
    user = connection.user
    live, paused, ended, gone = (make_connection(user) for _ in range(4))
    for one in (live, paused, ended, gone):
        make_token(one)
    services.pause(paused, at=NOON)
    services.end(ended, at=later(hours=1))
    gone.application.delete()

    shown = connections.list_assistants(user, at=NOON)

    assert {one.connection.pk: one.state for one in shown} == {
        connection.pk: State.EXPIRED,
        live.pk: State.LIVE,
        paused.pk: State.PAUSED,
        ended.pk: State.ENDED,
        gone.pk: State.ENDED,
    }
    assert {one.state for one in shown[:2]} == {State.LIVE, State.PAUSED}


def test_a_token_that_can_be_renewed_counts(connection):
    make_token(connection, expires=later(days=-29), refreshable=True, scope="cards:read")
    make_token(connection, expires=later(days=-31), refreshable=True, scope="tax:read")
    make_token(connection, expires=later(days=-1), scope="bills:read")

    (shown,) = connections.list_assistants(connection.user, at=NOON)

    assert (shown.scopes, shown.state) == ([Scope.CARDS], State.LIVE)


def test_nobody_sees_the_assistants_of_others(connection, make_user):
    assert connections.list_assistants(make_user(), at=NOON) == []


def test_the_list_costs_three_statements(connection, django_assert_num_queries):
    for _ in range(3):
        one = make_connection(connection.user)
        make_token(one)
        log_call(one)

    with django_assert_num_queries(3):
        connections.list_assistants(connection.user, at=NOON)


def test_a_connection_is_its_users_own(connection, make_user):
    assert connections.get_connection(connection.user, connection.pk) == connection

    with pytest.raises(Connection.DoesNotExist):
        connections.get_connection(make_user(), connection.pk)


def test_a_call_that_concerns_several_businesses_is_counted_once(connection, make_business):
    for _ in range(3):
        log_call(connection, business=make_business())
    log_call(connection, later(seconds=1), business=make_business())

    (shown,) = connections.list_assistants(connection.user, at=later(minutes=1))

    assert shown.calls == 2
