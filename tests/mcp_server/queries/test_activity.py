"""The calls that concern a user, and which of them are asked for."""

from datetime import UTC, datetime, timedelta

import pytest

from mcp_server.queries import activity
from mcp_server.queries.activity import CallFilter
from tests.factories import NOON, later
from tests.mcp_server.queries.test_connections import log_call, make_connection


@pytest.fixture
def connection(db):
    return make_connection()


@pytest.fixture
def business(make_business, make_business_owner, connection):
    business = make_business(legal_name="Amber LLC")
    make_business_owner(business, user=connection.user)
    return business


@pytest.fixture
def accountants(make_accountant):
    """The connection of somebody who is allowed to read the business, too."""
    return make_connection(make_accountant().user)


def test_the_log_has_ones_own_calls_newest_first(connection, business):
    log_call(connection, NOON, outcome="ACCESS_DENIED")
    log_call(connection, later(seconds=1), business=business)

    page = activity.list_calls(connection.user)

    assert page.total_count == 2
    assert [(call.at, call.outcome) for call in page.items] == [
        (later(seconds=1), "OK"),
        (NOON, "ACCESS_DENIED"),
    ]
    newest = page.items[0]
    assert (newest.tool, newest.business_name, newest.duration_ms) == (
        "svc_list_cards",
        "Amber LLC",
        7,
    )
    assert (newest.client_name, newest.user_name, newest.request_id) == ("Helpful", "", "r")


def test_the_log_has_what_others_read_of_ones_business(
    connection, business, accountants, make_business
):
    log_call(accountants, business=business)
    log_call(accountants, business=make_business())
    log_call(accountants)

    (call,) = activity.list_calls(connection.user).items

    assert call.user_name == accountants.user.get_full_name()
    assert call.business_name == "Amber LLC"


def test_an_accountant_sees_the_own_calls_alone(connection, business, accountants):
    log_call(accountants, business=business)
    log_call(connection, business=business)

    (call,) = activity.list_calls(accountants.user).items

    assert call.user_name == ""


def test_the_log_comes_in_pages_at_a_fixed_cost(
    connection, business, accountants, django_assert_num_queries
):
    for number in range(5):
        log_call(connection if number % 2 else accountants, later(hours=number), business=business)

    with django_assert_num_queries(4):
        page = activity.list_calls(connection.user, page=1, page_size=2)

    assert [call.at for call in page.items] == [later(hours=2), later(hours=1)]
    assert page.total_pages == 3


def test_a_day_is_from_midnight_to_midnight_in_utc(connection):
    midnight = datetime(2026, 3, 2, tzinfo=UTC)
    for seconds in (-1, 0, 86_399, 86_400):
        log_call(connection, midnight + timedelta(seconds=seconds))

    wanted = CallFilter(first=midnight.date(), last=midnight.date())

    assert [call.at for call in activity.list_calls(connection.user, wanted).items] == [
        midnight + timedelta(seconds=86_399),
        midnight,
    ]


def test_no_filter_shows_calls_of_others(connection, make_business):
    stranger, business = make_connection(), make_business()
    log_call(stranger, business=business)

    for wanted in (CallFilter(connection=stranger), CallFilter(business=business.pk)):
        assert activity.list_calls(connection.user, wanted).items == []


def test_a_stream_has_the_newest_calls(connection):
    for number in range(3):
        log_call(connection, later(hours=number))

    calls = activity.stream_calls(connection.user, CallFilter(), most=2)

    assert [call.at for call in calls] == [later(hours=2), later(hours=1)]


def test_people_and_businesses_are_those_with_access(
    connection, business, accountants, make_access, django_assert_num_queries
):
    make_access(accountants.user.accountant, business, status="REVOKED", revoked_at=later(days=9))
    make_connection()

    with django_assert_num_queries(2):
        assert activity.list_people(connection.user) == [connection.user, accountants.user]
    assert activity.list_people(accountants.user) == [accountants.user]
    assert activity.list_businesses(connection.user) == [business]
    with django_assert_num_queries(2):
        assert activity.list_businesses(accountants.user) == [business]
