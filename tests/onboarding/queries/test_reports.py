from datetime import UTC, date, datetime, timedelta

import pytest

from banking.choices import UserType
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason
from onboarding.event_types import EventType
from onboarding.queries import reports
from onboarding.queries.reports import ServiceLevel
from onboarding.services.events.history import Actor, Role
from tests.factories import make_event

NOW = datetime(2026, 3, 11, 20, tzinfo=UTC)  # a Wednesday
HOUR = timedelta(hours=1)


@pytest.fixture
def decide(make_application):
    """Make a review that began on Tuesday at ten in New York; units: business hours."""

    def make(touched, decided):
        began = datetime(2026, 3, 10, 14, tzinfo=UTC)
        return make_application(
            at=began,
            status=Status.APPROVED,
            submitted_at=began,
            review_began_at=began,
            touched_at=began + touched * HOUR,
            decided_at=began + decided * HOUR,
        )

    return make


def test_a_week_has_its_counts_shares_and_medians(decide):
    decide(1, 3)
    decide(1, 5)
    decide(4, 26)  # the next day: 10 of these are business hours

    week, before = reports.list_weeks(weeks=2, at=NOW)

    assert week.begins == date(2026, 3, 9)
    assert (week.arrived, week.decided) == (3, 3)
    assert week.first_touch == ServiceLevel(67, HOUR)
    assert week.decision == ServiceLevel(67, 5 * HOUR)
    assert (before.begins, before.arrived) == (date(2026, 3, 2), 0)
    assert before.decision == ServiceLevel(None, None)


def test_weeks_take_two_statements_and_measure_their_newest_reviews(
    decide, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(reports, "MAX_MEASURED", 1)
    decide(4, 26)
    decide(1, 27)

    with django_assert_num_queries(2):
        week, *before = reports.list_weeks(weeks=8, at=NOW)

    assert (week.decided, week.first_touch) == (2, ServiceLevel(100, HOUR))
    assert {one.first_touch for one in before} == {ServiceLevel(None, None)}


def test_what_was_decided_without_a_review_has_no_pace(make_application):
    make_application(at=NOW, status=Status.APPROVED, decided_at=NOW)

    [week] = reports.list_weeks(weeks=1, at=NOW)

    assert week.decided == 1
    assert week.decision == ServiceLevel(None, None)


def test_whoever_did_most_is_first(make_application, make_event, make_user):
    dana, iris = (make_user(user_type=UserType.STAFF) for _ in range(2))
    done = [(dana, EventType.CLAIMED), (iris, EventType.APPROVED), (iris, EventType.CLAIMED)]
    for user, kind in done:
        by = Actor(Role.REVIEWER, str(user.external_id))
        make_event(make_application(), kind, by=by, at=NOW)
    make_event(make_application(), EventType.DENIED, by=Actor(Role.CHECKS), at=NOW)
    make_event(make_application(), EventType.CLAIMED, by=by, at=NOW - 200 * HOUR)

    found = reports.list_reviewers(since=NOW - 168 * HOUR)

    assert [(one.user, one.decided, one.claimed) for one in found] == [(iris, 1, 1), (dana, 0, 1)]


@pytest.mark.parametrize("who", ["01a201e4-23fd-7012-a0c4-acc5df581a49", "sandbox"])
def test_who_is_no_user_is_counted_without_a_name(make_event, who):
    by = Actor(Role.REVIEWER, who)
    make_event(None, EventType.CLAIMED, by=by, at=NOW)

    [one] = reports.list_reviewers(since=NOW - HOUR)

    assert one.user is None


def test_reasons_of_denials_are_counted_the_most_frequent_first(
    make_application, monkeypatch, django_assert_num_queries
):
    sent = [["RISK_APPETITE"], ["NOT_VERIFIED", "RISK_APPETITE"], ["NOT_ELIGIBLE"]]
    for codes in sent:
        make_event(make_application(), EventType.DENIED, at=NOW, reason_codes=codes)
    make_event(make_application(), EventType.DENIED, at=NOW - 9 * HOUR, reason_codes=sent[0])

    with django_assert_num_queries(1):
        counts = reports.count_denials(since=NOW - HOUR)

    assert counts == [
        (DenialReason.RISK_APPETITE, 2),
        (DenialReason.NOT_ELIGIBLE, 1),
        (DenialReason.NOT_VERIFIED, 1),
    ]
