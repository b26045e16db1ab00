"""The sandbox's clock: what moves back, what it brings about, and whose time stands still."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from uuid_utils.compat import uuid7

from banking.models import Job
from banking.services import jobs
from onboarding import periodic
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DeliveryStatus, DocumentStatus
from onboarding.event_types import TEST_EVENT, EventType, MailKind
from onboarding.models import (
    AccessCode,
    Application,
    ClockMove,
    Delivery,
    Document,
    Event,
    FlowSession,
    Lane,
    Lead,
    Mail,
    PhoneLink,
    Publication,
    VerificationRequest,
    Webhook,
)
from onboarding.queries import audit
from onboarding.queries.clock_moves import get_progress
from onboarding.queries.leads import open_lead_file
from onboarding.services.events import history
from onboarding.services.events.history import CHECKS, Actor, Role
from onboarding.services.mails import outbox
from onboarding.services.reviews import decisions
from onboarding.services.sandbox import sandbox_clock
from tests.factories import (
    NOON,
    later,
    make_api_key,
    make_application,
    make_document,
    make_lead,
    make_partner,
)
from tests.onboarding.services.leads.test_submissions import make_complete

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
REVIEWER = Actor(Role.REVIEWER, "ada")
MOVED = {  # every moment that something waits for, by model
    Lead: ["created_at", "updated_at"],
    Application: [
        "created_at", "status_changed_at", "entered_at", "submitted_at", "link_expires_at",
        "token_expires_at", "token_used_at",
    ],
    Document: [
        "uploaded_at", "fetch_due_at", "scan_due_at", "scanned_at", "doubt_confirmed_at",
    ],
    VerificationRequest: ["asked_at", "due_at", "deadline"],
    AccessCode: ["sent_at", "expires_at"],
    FlowSession: ["created_at", "expires_at"],
    PhoneLink: ["created_at", "entered_at", "closed_at", "expires_at"],
    Mail: ["due_at", "expires_at"],
    Lane: ["due_at"],
    Delivery: ["next_attempt_at", "failing_since"],
    Webhook: ["failing_since", "previous_expires_at"],
}  # fmt: skip


def begin(partner, by=HOUR, *, at=NOON):
    return sandbox_clock.begin(partner=partner, by=by, at=at)


def go_on(move, *, at=NOON):
    """Make the rest of a move, and return how many steps that took."""
    return sum(1 for _ in sandbox_clock.go_on(move, now=lambda: at))


def advance(partner, by, *, at=NOON):
    move = begin(partner, by, at=at)
    go_on(move, at=at)
    move.refresh_from_db()
    return get_progress(move)


def make_busy(partner):
    """Make a row of everything that waits, each in an hour."""
    soon = NOON + HOUR
    application = make_application(
        make_lead(partner), entered_at=NOON, submitted_at=NOON, token_used_at=NOON
    )
    lead = application.lead
    Lead.objects.filter(pk=lead.pk).update(updated_at=NOON, created_at=NOON)
    event = history.record(application, EventType.CREATED, by=history.PARTNER, at=NOON)
    make_document(
        lead,
        status=DocumentStatus.PENDING,
        fetch_due_at=soon,
        scan_due_at=soon,
        scanned_at=NOON,
        doubt="DARK",
        doubt_confirmed_at=NOON,
    )
    VerificationRequest.objects.create(
        application=application,
        provider="acme",
        kind="IDENTITY",
        party_id=lead.external_id,
        sent="{}",
        asked_at=NOON,
        due_at=soon,
        deadline=soon,
    )
    AccessCode.objects.create(application=application, sent_at=NOON, expires_at=soon)
    session = FlowSession.objects.create(
        application=application, digest=str(lead.external_id), created_at=NOON, expires_at=soon
    )
    PhoneLink.objects.create(
        session=session,
        digest=str(lead.external_id),
        created_at=NOON,
        entered_at=NOON,
        closed_at=NOON,
        expires_at=soon,
    )
    Mail.objects.create(
        kind=MailKind.CODE,
        application=application,
        language="en",
        due_at=soon,
        expires_at=soon,
        created_at=NOON,
    )
    webhook = Webhook.objects.create(
        partner=partner,
        server_url="https://hooks.example.com/",
        token="token",
        signing_secret="whsec_new",
        previous_secret="whsec_old",
        previous_expires_at=soon,
        failing_since=NOON,
        created_at=NOON,
    )
    make_waiting(webhook, lead=lead, event=event, type=event.type)
    make_waiting(webhook, type=TEST_EVENT)
    Mail.objects.create(
        kind=MailKind.KEY_EXPIRY,
        api_key=make_api_key(partner, at=NOON).key,
        language="en",
        due_at=soon,
        expires_at=soon,
        created_at=NOON,
    )
    return application


def make_waiting(webhook, *, lead=None, **values):
    """Make a delivery that waits in a lane of its lead, or of no lead."""
    soon = NOON + HOUR
    Delivery.objects.create(
        lane=Lane.objects.create(webhook=webhook, lead=lead, due_at=soon),
        publication=Publication.objects.create(
            message_id=f"{webhook.pk}-{lead and lead.pk}",
            partner=webhook.partner,
            lead=lead,
            body="{}",
            published_at=NOON,
            **values,
        ),
        status=DeliveryStatus.PENDING,
        next_attempt_at=soon,
        failing_since=NOON,
        created_at=NOON,
    )


def moments():
    """Return what every row of the tables says, by table and key."""
    return {
        model: {row["id"]: row for row in model.objects.values("id", *names)}
        for model, names in MOVED.items()
    }


@pytest.fixture
def partner(db):
    return make_partner()


def test_every_moment_moves_back_by_the_same_time(partner):
    make_busy(partner)
    before = moments()

    advance(partner, 90 * timedelta(minutes=1))

    assert_moved(before, timedelta(minutes=90))


def assert_moved(before, by):
    for model, rows in moments().items():
        assert rows.keys() == before[model].keys()
        for pk, row in rows.items():
            for name in MOVED[model]:
                assert row[name] == before[model][pk][name] - by, f"{model.__name__}.{name}"


def test_another_partners_time_stands_still(partner):
    make_busy(make_partner())
    before = moments()

    advance(partner, 100 * DAY)

    assert moments() == before
    assert Event.objects.count() == 1


def test_events_stay_as_they_are(partner):
    make_busy(partner)
    before = list(Event.objects.values())

    advance(partner, DAY / 2)  # before the first reminder

    assert list(Event.objects.values()) == before
    assert list(audit.find_faults()) == []


def test_what_never_happened_stays_so(partner):
    application = make_application(make_lead(partner))

    advance(partner, DAY)

    application.refresh_from_db()
    assert (application.entered_at, application.submitted_at) == (None, None)


def test_it_tells_how_much_became_due(partner):
    make_busy(partner)

    early = advance(partner, 30 * timedelta(minutes=1))
    enough = advance(partner, 30 * timedelta(minutes=1))
    again = advance(partner, DAY)

    moves = [one.move for one in (early, enough, again)]
    due = [(one.deliveries_due, one.mails_due, one.documents_due) for one in moves]
    assert due == [(0, 0, 0), (2, 2, 1), (0, 0, 0)]


def test_an_application_that_nobody_goes_on_with_expires(partner):
    application = make_application(make_lead(partner))
    Lead.objects.update(updated_at=NOON)

    first, second = advance(partner, 29 * DAY), advance(partner, DAY)

    assert (first.ended, [one.application for one in second.ended]) == ([], [application])
    event = Event.objects.get(type=EventType.EXPIRED)
    assert event.occurred_at == NOON
    assert first.reminded == 1


def test_another_partners_application_does_not_expire_with_it(partner):
    make_application(at=NOON - 31 * DAY)
    Lead.objects.update(updated_at=NOON - 31 * DAY)

    assert advance(partner, DAY).ended == []


def test_an_applicant_who_is_waited_for_is_reminded_once_however_long_it_was(partner):
    application = make_complete(partner=partner)
    move_to(application, Status.DOCUMENTS_REQUIRED)

    first = advance(partner, 15 * DAY)
    second = advance(partner, DAY, at=later(minutes=1))

    assert (first.reminded, second.reminded) == (1, 0)
    assert Mail.objects.get(kind=MailKind.REMINDER).application == application


def move_to(application, status):
    Application.objects.filter(pk=application.pk).update(status=status, status_changed_at=NOON)


def test_an_account_for_the_time_being_is_denied_after_its_last_day(partner):
    application = make_complete(partner=partner)
    move_to(application, Status.IN_REVIEW)
    stored = Application.objects.select_related("lead").get()
    decisions.approve_temporarily(stored, by=REVIEWER, at=NOON)

    halves = [advance(partner, 15 * DAY + 12 * HOUR) for _ in range(2)]

    assert [[one.status for one in passed.ended] for passed in halves] == [[], [Status.DENIED]]


def test_a_document_of_before_meets_no_request_of_after(partner):
    application = make_complete(partner=partner)
    move_to(application, Status.SUBMITTED)
    make_document(application.lead, llc_file_type="UTILITY_BILL", uploaded_at=NOON)
    make_document(application.lead, llc_file_type="PASSPORT", uploaded_at=NOON)
    stored = Application.objects.select_related("lead").get()
    decisions.request_identity(stored, [stored.lead], by=CHECKS, at=later(minutes=1))
    requests = [
        {
            "llc_file_type": "UTILITY_BILL",
            "reason": "Blurred.",
            "requested_at": later(minutes=1).isoformat(),
        }
    ]
    Application.objects.update(document_requests=requests)

    advance(partner, DAY, at=later(minutes=2))

    wanted = open_lead_file(Application.objects.select_related("lead").get()).requirements
    codes = {requirement.code for requirement in wanted}
    assert {"UTILITY_BILL_REQUESTED", "IDENTITY_PROOF_MISSING"} <= codes


def test_mails_about_webhooks_move_back(make_webhook):
    webhook = make_webhook()
    mail = outbox.queue(MailKind.WEBHOOK_FAILING, webhook=webhook, language="en", at=later(days=1))

    assert advance(webhook.partner, DAY).move.mails_due == 1

    mail.refresh_from_db()
    assert mail.due_at == NOON


@pytest.fixture
def leads_alone(monkeypatch):
    """Let each batch have one lead."""
    monkeypatch.setattr(sandbox_clock, "BATCH_SIZE", 1)


class Killed(BaseException):
    """The end of a process."""


def test_a_move_goes_on_where_it_was_cut_off(partner, leads_alone):
    for _ in range(3):
        make_busy(partner)
    before = moments()
    move = begin(partner)

    next(sandbox_clock.go_on(move, now=lambda: NOON))
    move.refresh_from_db()
    halfway = (move.leads_done, move.leads_total, str(move.status))
    go_on(move)

    move.refresh_from_db()
    assert (halfway, move.leads_done, str(move.status)) == ((1, 3, "IN_PROGRESS"), 3, "DONE")
    assert_moved(before, HOUR)


def test_a_batch_that_is_cut_off_is_moved_as_a_whole_later(partner, leads_alone):
    for _ in range(2):
        make_busy(partner)
    before = moments()
    move = begin(partner)
    with kill_at_update(2), pytest.raises(Killed):
        go_on(move)
    move.refresh_from_db()
    assert move.leads_done == 1

    go_on(move)

    assert_moved(before, HOUR)


def kill_at_update(number):
    """Return what ends the process at an update of lanes, the last but one of a batch."""
    updates = []

    def execute_or_die(execute, sql, *arguments):
        if sql.startswith('UPDATE "onboarding_lane"'):
            updates.append(sql)
            if len(updates) == number:
                raise Killed
        return execute(sql, *arguments)

    return connection.execute_wrapper(execute_or_die)


def test_what_cannot_be_begun_is_not_moved(partner):
    make_busy(partner)
    before = moments()

    with kill_at_update(1), pytest.raises(Killed):
        begin(partner)

    assert moments() == before
    assert not ClockMove.objects.exists()


def test_endings_go_on_where_they_were_cut_off(partner):
    for _ in range(3):
        make_application(make_lead(partner))
    Lead.objects.update(updated_at=NOON)
    move = begin(partner, 30 * DAY)
    steps = sandbox_clock.go_on(move, now=lambda: NOON)
    for _ in range(2):  # the batch, and one of the endings
        next(steps)

    halfway = get_progress(move)
    go_on(move, at=later(minutes=1))

    move.refresh_from_db()
    assert (halfway.ended_total, get_progress(move).ended_total) == (1, 3)
    assert Event.objects.filter(type=EventType.EXPIRED).count() == 3
    assert move.finished_at == later(minutes=1)


def test_two_who_make_one_move_at_once_move_nothing_twice(in_threads, leads_alone):
    partner = make_partner()
    for _ in range(5):
        make_busy(partner)
    before = moments()
    move = begin(partner)

    outcomes = in_threads(lambda _: go_on(move), range(2))

    assert sum(outcomes) == 5
    assert_moved(before, HOUR)


def test_other_writers_get_their_turn_where_they_wait_for_one_lock(
    partner, leads_alone, monkeypatch
):
    for _ in range(2):
        make_busy(partner)
    move, rests = begin(partner), []
    monkeypatch.setattr(sandbox_clock, "TURN", 0)
    monkeypatch.setattr(jobs, "pause", rests.append)

    go_on(move)

    assert rests == ([0, 0] if connection.vendor == "sqlite" else [])


def test_a_finished_move_is_not_made_again(partner):
    move = advance(partner, HOUR).move
    make_busy(partner)

    assert go_on(move, at=later(days=60)) == 0


def test_a_lead_that_came_later_is_not_moved(partner):
    make_busy(partner)
    move = begin(partner)
    make_application(make_lead(partner), at=NOON)
    [late] = Lead.objects.exclude(pk__lte=move.last_lead).values()

    go_on(move)

    move.refresh_from_db()
    assert (move.leads_done, move.leads_total) == (1, 1)
    assert list(Lead.objects.exclude(pk__lte=move.last_lead).values()) == [late]


def test_a_job_finishes_a_move_with_the_same_outcome(partner):
    application = make_application(make_lead(partner))
    Lead.objects.update(updated_at=NOON)
    move = begin(partner, 30 * DAY)
    early = jobs.dispatch(at=later(seconds=4), limit=5)
    [(pk, attempt)] = jobs.dispatch(at=later(seconds=5), limit=5)

    jobs.run(pk, attempt=attempt, clock=lambda: later(seconds=5))

    job = Job.objects.get()
    move.refresh_from_db()
    progress = get_progress(move)
    assert early == []
    assert (job.kind, job.outcome) == ("move_clock", "the clock was moved")
    assert (job.done, job.total) == (1, 1)
    assert [one.application for one in progress.ended] == [application]
    assert (progress.ended_total, str(move.status)) == (1, "DONE")


def test_the_job_is_declared():
    assert jobs.JOB_TYPES[sandbox_clock.KIND].handler is periodic.move_clock


def test_one_move_of_a_partner_is_made_at_a_time(partner):
    make_busy(partner)
    other = make_partner()
    move = begin(partner)
    before = moments()

    with pytest.raises(sandbox_clock.ClockMoving) as refused:
        begin(partner)

    assert str(move.external_id) in refused.value.faults[0].text()
    assert moments() == before
    assert begin(other)
    go_on(move)
    assert begin(partner)


def test_of_two_who_begin_at_once_one_is_refused(in_threads):
    partner = make_partner()
    make_busy(partner)
    before = moments()

    outcomes = in_threads(lambda _: begin(partner), range(2))

    assert {type(outcome) for outcome in outcomes} == {ClockMove, sandbox_clock.ClockMoving}
    go_on(ClockMove.objects.get())
    assert_moved(before, HOUR)


def test_the_database_keeps_one_unfinished_move_of_a_partner(partner):
    move = begin(partner)
    move.pk, move.external_id = None, uuid7()

    with pytest.raises(IntegrityError, match=r"clockmove_one_unfinished|clockmove.partner_id"):
        move.save(force_insert=True)


def test_a_worker_can_be_asked_to_go_on_with_a_move_that_was_given_up(partner):
    begin(partner)
    Job.objects.update(status="FAILED", finished_at=NOON)

    sandbox_clock.request_rest(partner=partner, at=later(minutes=1))

    [job] = Job.objects.open()
    assert (job.kind, job.due_at) == ("move_clock", later(minutes=1))
