"""Mails about the first use of a connection, and about unusually much reading."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from mcp_server import periodic
from mcp_server.models import AccessLogEntry, Connection
from mcp_server.services import connections, reading_notices
from tests.factories import NOON, later, make_access, make_business_owner, make_user
from tests.mailing import mailed
from tests.mcp_server.conftest import connect

DAY = timedelta(days=1)


@pytest.fixture
def connection(owner):
    """A new connection of the owner."""
    connection = connect(owner).connection
    Connection.objects.update(consented_at=NOON)
    return connection


def log(connection, business, count=1, *, at=NOON, tool="svc_list_cards", outcome="OK"):
    AccessLogEntry.objects.bulk_create(
        AccessLogEntry(
            at=at,
            connection=connection,
            tool=tool,
            business=business,
            outcome=outcome,
            duration_ms=1,
            request_id="r",
        )
        for _ in range(count)
    )


def test_the_first_use_is_mailed_once(connection, business, owner):
    unused = reading_notices.mail_first_uses(at=NOON)
    log(connection, business, outcome="ACCESS_DENIED")
    refused = reading_notices.mail_first_uses(at=NOON)
    log(connection, business, at=later(minutes=1))
    first, second = [reading_notices.mail_first_uses(at=later(minutes=5)) for _ in range(2)]

    assert (unused, refused, first, second) == (0, 0, 1, 0)
    [sent] = mailed()
    assert sent.to == [owner.email]
    assert sent.subject == (
        "An assistant that you connected has read data for the first time / "
        "Un asistente que usted conectó ha leído datos por primera vez"
    )
    assert "assistant.example.com, has read data" in sent.body
    assert "/connected-assistants" in sent.body


def test_a_mail_does_not_have_the_name_that_a_client_gave_itself(connection, business):
    Connection.objects.update(client_name="Call 555-0199 now", client_host="")
    log(connection, business, at=later(minutes=1))

    reading_notices.mail_first_uses(at=later(minutes=5))

    assert "555-0199" not in mailed()[0].body + mailed()[0].subject


def test_an_access_that_begins_anew_is_mailed_anew(connection, business, owner):
    log(connection, business, at=later(minutes=1))
    reading_notices.mail_first_uses(at=later(minutes=2))
    connections.end(connection, at=later(minutes=3))
    connections.connect(owner, connection.application, at=later(minutes=4))
    unused = reading_notices.mail_first_uses(at=later(minutes=5))
    log(connection, business, at=later(minutes=6))

    assert unused == 0
    assert reading_notices.mail_first_uses(at=later(minutes=7)) == 1


def test_a_consent_while_the_access_lasts_begins_nothing_anew(connection, owner):
    connections.connect(owner, connection.application, at=later(minutes=4))

    connection.refresh_from_db()
    assert connection.consented_at == NOON


def test_connections_from_before_are_not_mailed(connection, business):
    Connection.objects.update(consented_at=None)
    log(connection, business)

    assert reading_notices.mail_first_uses(at=NOON) == 0


@pytest.mark.parametrize(
    ("calls", "files", "usual_calls", "is_mailed"),
    [
        (299, 0, 0, False),
        (300, 0, 0, True),
        (300, 0, 60, True),
        (300, 0, 61, False),
        (0, 49, 0, False),
        (0, 50, 0, True),
    ],
)
def test_much_more_than_usual_is_mailed(connection, business, calls, files, usual_calls, is_mailed):
    for days in (3, 20):  # the days without use do not count
        log(connection, business, usual_calls, at=NOON - days * DAY)
    log(connection, business, usual_calls * 9, at=NOON - 40 * DAY)
    log(connection, business, calls)
    log(connection, business, files, tool="svc_download_statement")

    assert reading_notices.mail_unusual_use(at=later(hours=1)) == is_mailed
    assert len(mailed()) == is_mailed


def test_days_of_usual_use_are_counted_in_utc_in_every_time_zone(connection, business):
    for hours in (0, 11):  # one day in UTC, two in New York
        log(connection, business, 31, at=NOON - 3 * DAY - timedelta(hours=hours))
    log(connection, business, 300)

    with timezone.override(ZoneInfo("America/New_York")):
        assert reading_notices.mail_unusual_use(at=later(hours=1)) == 0


def test_refused_calls_and_those_of_another_day_are_not_reading(connection, business):
    log(connection, business, 400, outcome="ACCESS_DENIED")
    log(connection, business, 400, at=NOON - DAY)

    assert reading_notices.mail_unusual_use(at=later(hours=1)) == 0


def test_opened_links_are_files(connection, business):
    log(connection, business, 50, tool="link:svc_download_statement")

    assert reading_notices.mail_unusual_use(at=later(hours=1)) == 1


def test_unusual_use_is_mailed_once_a_week(connection, business):
    sent = []
    for days, calls in [(0, 300), (1, 1500), (6, 4500), (8, 10_500)]:  # each is unusual
        log(connection, business, calls, at=NOON + days * DAY)
        sent.append(reading_notices.mail_unusual_use(at=NOON + days * DAY))

    assert sent == [1, 0, 0, 1]


def test_an_owner_is_told_of_an_accountants_assistant(accountant, business, owner):
    make_access(accountant, business)
    partner = make_user(email="partner@example.com")
    make_business_owner(business, user=partner, role="UBO", sign_in_role="PARTNER")
    connection = connect(accountant.user).connection
    log(connection, business, 300)

    reading_notices.mail_unusual_use(at=later(hours=1))

    sent = {message.to[0]: message.body for message in mailed()}
    assert set(sent) == {accountant.user.email, owner.email}
    told = f"An assistant of {accountant.user.get_full_name()} is reading much more about"
    assert f"{told} {business.legal_name}" in sent[owner.email]
    assert "Requests in the last 24 hours: 300 (on a usual day: 0)" in sent[owner.email]
    assert "/account/accountants" in sent[owner.email]
    assert (
        f"Your assistant is reading much more about {business.legal_name}"
        in (sent[accountant.user.email])
    )


def test_quiet_connections_take_one_statement(connection, django_assert_num_queries):
    with django_assert_num_queries(1):
        outcome = periodic.mail_unusual_use(None, at=NOON)

    assert outcome == "mailed unusual use of 0 connections"
    assert periodic.mail_first_uses(None, at=NOON) == "mailed the first use of 0 connections"
