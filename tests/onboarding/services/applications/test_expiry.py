"""The clock: what expires when, and that nothing stops it."""

import itertools
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Role
from onboarding.models import Application, Event, Lead
from onboarding.queries import audit
from onboarding.services.applications import expiry, lifecycle
from onboarding.services.events.history import APPLICANT
from tests.factories import LONG_AGO, NOON, later

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
THIRTY, SIXTY = timedelta(days=30), timedelta(days=60)


@pytest.fixture
def make_idle(make_application):
    """Make an application with which nothing happened since a moment."""

    def make(status=Status.CREATED, *, since=NOON, **values):
        application = make_application(at=since, status=status, **values)
        Lead.objects.filter(pk=application.lead_id).update(updated_at=since)
        return application

    return make


def expire(at):
    return list(expiry.expire_overdue(at=at))


@pytest.mark.parametrize(
    ("status", "lifetime"),
    [
        (Status.CREATED, THIRTY),
        (Status.IN_PROGRESS, THIRTY),
        (Status.ID_VERIFICATION, SIXTY),
        (Status.DOCUMENTS_REQUIRED, SIXTY),
    ],
)
def test_what_nobody_goes_on_with_expires_on_the_day(make_idle, status, lifetime):
    application = make_idle(status)

    assert expire(NOON + lifetime - SECOND) == []
    assert expire(NOON + lifetime) == [expiry.Outcome(application.external_id)]

    assert Application.objects.get().status == Status.EXPIRED
    event = Event.objects.get()
    assert (event.type, event.role, event.previous_status) == (
        "application.expired",
        Role.CLOCK,
        status,
    )
    assert event.occurred_at == NOON + lifetime
    assert list(audit.find_faults()) == []


@pytest.mark.parametrize(
    "status", [status for status in Status if status not in {*expiry.UNSUBMITTED, *expiry.WAITING}]
)
def test_nothing_else_expires(make_idle, status):
    make_idle(status, since=LONG_AGO)

    assert expire(NOON) == []


def test_a_temporary_approval_is_denied_after_its_last_day(make_idle):
    make_idle(Status.APPROVED_TEMPORARY, expiration_date=NOON.date())
    ends_everywhere = NOON + DAY  # when the day has ended in Hawaii and Samoa, too

    assert expire(ends_everywhere - SECOND) == []
    assert len(expire(ends_everywhere)) == 1

    assert Application.objects.get().status == Status.DENIED
    event = Event.objects.get()
    assert (event.type, event.role) == ("application.denied", Role.CLOCK)
    assert event.details == {"reason_codes": ["DOCUMENTS_OVERDUE"]}


def test_only_what_is_wanted_expires(make_idle):
    wanted, _other = make_idle(), make_idle()

    outcomes = expiry.expire_overdue(at=NOON + THIRTY, lead__partner=wanted.lead.partner)

    assert [outcome.application_id for outcome in outcomes] == [wanted.external_id]


def test_an_attempt_that_is_over_is_left_alone(make_idle):
    make_idle(since=LONG_AGO, is_current=False)

    assert expire(NOON) == []


@pytest.mark.parametrize(
    "values",
    [
        {"entered_at": NOON + DAY},
        {"status_changed_at": NOON + DAY},
        {"link_expires_at": NOON + DAY + THIRTY},
    ],
)
def test_activity_puts_the_day_off(make_idle, values):
    make_idle(Status.IN_PROGRESS, **values)

    assert expire(NOON + THIRTY) == []
    assert len(expire(NOON + THIRTY + DAY)) == 1


def test_data_that_changes_puts_the_day_off(make_idle):
    make_idle()
    Lead.objects.update(updated_at=NOON + DAY)

    assert expire(NOON + THIRTY) == []
    assert len(expire(NOON + THIRTY + DAY)) == 1


@pytest.mark.parametrize("status", Status)
def test_the_filter_finds_whom_the_deadline_names(make_idle, status):
    moments = [LONG_AGO, NOON - SIXTY, NOON - THIRTY, NOON - THIRTY + SECOND]
    for changed, entered, granted, updated in itertools.product(
        moments, [None, *moments[2:]], moments[2:], moments[2:]
    ):
        make_idle(
            status,
            since=updated,
            status_changed_at=changed,
            entered_at=entered,
            link_expires_at=granted + THIRTY,
        )
    applications = Application.objects.select_related("lead")

    named = {
        application.pk
        for application in applications
        if application.deadline and application.deadline <= NOON
    }

    assert {application.pk for application in expiry.list_overdue(at=NOON)} == named
    assert bool(named) is (status in {*expiry.UNSUBMITTED, *expiry.WAITING})


def test_one_that_fails_does_not_stop_the_others(make_idle, monkeypatch, caplog):
    first, broken, last = [make_idle() for _ in range(3)]
    move = lifecycle.move

    def fail(application, *args, **options):
        if application.pk == broken.pk:
            raise DatabaseError("ada@example.com is nobody's business")
        move(application, *args, **options)

    monkeypatch.setattr(lifecycle, "move", fail)

    assert expire(NOON + THIRTY) == [
        expiry.Outcome(first.external_id),
        expiry.Outcome(broken.external_id, fault="DatabaseError"),
        expiry.Outcome(last.external_id),
    ]
    assert str(broken.external_id) in caplog.text
    assert Application.objects.filter(status=Status.EXPIRED).count() == 2


def test_one_whose_number_cannot_be_opened_does_not_stop_the_others(make_idle):
    broken, whole = make_idle(), make_idle()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE onboarding_lead SET ssn = 'e1.gone.AAAA' WHERE id = %s", [broken.lead_id]
        )

    outcomes = expire(NOON + THIRTY)

    assert [bool(outcome.fault) for outcome in outcomes] == [True, False]
    assert Application.objects.get(pk=whole.pk).status == Status.EXPIRED


def test_one_that_moved_meanwhile_is_left_out(make_idle):
    gone, left = make_idle(), make_idle()
    outcomes = expiry.expire_overdue(at=NOON + THIRTY)

    lifecycle.move(left, Status.IN_PROGRESS, by=APPLICANT, at=NOON + THIRTY)

    assert list(outcomes) == [expiry.Outcome(gone.external_id)]
    assert Application.objects.get(pk=left.pk).status == Status.IN_PROGRESS


def test_one_whose_applicant_returns_after_it_was_listed_is_left_out(make_idle, monkeypatch):
    monkeypatch.setattr(expiry, "BATCH_SIZE", 2)
    make_idle()
    returned = make_idle(Status.IN_PROGRESS)
    outcomes = expiry.expire_overdue(at=NOON + THIRTY)
    next(outcomes)

    Application.objects.filter(pk=returned.pk).update(entered_at=later(days=30))

    assert list(outcomes) == []
    assert Application.objects.get(pk=returned.pk).status == Status.IN_PROGRESS


def test_keys_are_read_in_batches(make_idle, monkeypatch):
    monkeypatch.setattr(expiry, "BATCH_SIZE", 2)
    for _ in range(5):
        make_idle()

    with CaptureQueriesContext(connection) as captured:
        assert len(expire(NOON + THIRTY)) == 5

    lists = [query["sql"] for query in captured if "LIMIT 2" in query["sql"]]
    assert len(lists) == 4


def test_several_clocks_at_once_expire_each_once(in_threads, make_application):
    for _ in range(4):
        make_application()
    Lead.objects.update(updated_at=NOON)

    outcomes = in_threads(lambda at: expire(at), [NOON + THIRTY] * 4)

    all_outcomes = [outcome for found in outcomes for outcome in found]
    assert [outcome.fault for outcome in all_outcomes] == [""] * 4
    assert Event.objects.count() == 4
    assert list(audit.find_faults()) == []
