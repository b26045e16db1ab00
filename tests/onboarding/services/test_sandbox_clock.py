"""The sandbox's clock: what moves back, what it brings about, and whose time stands still."""

from datetime import timedelta

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DeliveryStatus, DocumentStatus, EventType, MailKind
from onboarding.models import (
    AccessCode,
    Application,
    Delivery,
    Document,
    Event,
    FlowSession,
    Lane,
    Lead,
    Mail,
    Publication,
    Webhook,
)
from onboarding.queries import audit
from onboarding.queries.leads import open_lead_file
from onboarding.services import decisions, history, mails, sandbox_clock
from onboarding.services.history import CHECKS, Actor, Role
from tests.factories import NOON, later, make_application, make_document, make_lead, make_partner
from tests.onboarding.services.test_submissions import make_complete

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
REVIEWER = Actor(Role.REVIEWER, "ada")
MOVED = {  # every moment that something waits for, by model
    Lead: ["created_at", "updated_at"],
    Application: [
        "created_at", "status_changed_at", "entered_at", "submitted_at", "link_expires_at",
        "token_expires_at", "token_used_at",
    ],
    Document: ["uploaded_at", "fetch_due_at"],
    AccessCode: ["sent_at", "expires_at"],
    FlowSession: ["created_at", "expires_at"],
    Mail: ["due_at", "expires_at"],
    Lane: ["due_at"],
    Delivery: ["next_attempt_at", "failing_since"],
    Webhook: ["failing_since", "previous_expires_at"],
}  # fmt: skip


def advance(partner, by, *, at=NOON):
    return sandbox_clock.advance(partner=partner, by=by, at=at)


def make_busy(partner):
    """Make a row of everything that waits, each in an hour."""
    soon = NOON + HOUR
    application = make_application(
        make_lead(partner), entered_at=NOON, submitted_at=NOON, token_used_at=NOON
    )
    lead = application.lead
    Lead.objects.filter(pk=lead.pk).update(updated_at=NOON, created_at=NOON)
    event = history.record(application, EventType.CREATED, by=history.PARTNER, at=NOON)
    Document.objects.create(
        lead=lead,
        source_url="https://files.example.com/a.pdf",
        status=DocumentStatus.PENDING,
        uploaded_at=NOON,
        fetch_due_at=soon,
    )
    AccessCode.objects.create(application=application, sent_at=NOON, expires_at=soon)
    FlowSession.objects.create(
        application=application, digest=str(lead.external_id), created_at=NOON, expires_at=soon
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
    lane = Lane.objects.create(webhook=webhook, lead=lead, due_at=soon)
    publication = Publication.objects.create(
        message_id=event.external_id.hex,
        partner=partner,
        lead=lead,
        event=event,
        type=event.type,
        body="{}",
        published_at=NOON,
    )
    Delivery.objects.create(
        lane=lane,
        publication=publication,
        status=DeliveryStatus.PENDING,
        next_attempt_at=soon,
        failing_since=NOON,
        created_at=NOON,
    )
    return application


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

    for model, rows in moments().items():
        for pk, row in rows.items():
            for name in MOVED[model]:
                expected = before[model][pk][name] - timedelta(minutes=90)
                assert row[name] == expected, f"{model.__name__}.{name}"


def test_another_partners_time_stands_still(partner):
    make_busy(make_partner())
    before = moments()

    advance(partner, 100 * DAY)

    assert moments() == before
    assert Event.objects.count() == 1


def test_events_stay_as_they_are(partner):
    make_busy(partner)
    before = list(Event.objects.values())

    advance(partner, DAY)

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

    due = [(one.deliveries_due, one.mails_due, one.documents_due) for one in (early, enough, again)]
    assert due == [(0, 0, 0), (1, 1, 1), (0, 0, 0)]


def test_an_application_that_nobody_goes_on_with_expires(partner):
    application = make_application(make_lead(partner))
    Lead.objects.update(updated_at=NOON)

    first, second = advance(partner, 29 * DAY), advance(partner, DAY)

    assert (first.ended, [one.pk for one in second.ended]) == ([], [application.pk])
    event = Event.objects.get()
    assert (event.type, event.occurred_at) == (EventType.EXPIRED, NOON)


def test_another_partners_application_does_not_expire_with_it(partner):
    make_application(at=NOON - 31 * DAY)
    Lead.objects.update(updated_at=NOON - 31 * DAY)

    assert advance(partner, DAY).ended == []


def test_an_applicant_who_is_waited_for_is_reminded_once_however_long_it_was(partner):
    application = make_complete(partner=partner)
    move_to(application, Status.DOCUMENTS_REQUIRED)

    first, second = advance(partner, 15 * DAY), advance(partner, DAY)

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


def test_two_clocks_at_once_add_up(in_threads):
    partner = make_partner()
    application = make_busy(partner)

    outcomes = in_threads(lambda by: advance(partner, by), [HOUR, 2 * HOUR])

    assert [type(outcome) for outcome in outcomes] == [sandbox_clock.Passed] * 2
    application.refresh_from_db()
    assert application.entered_at == NOON - 3 * HOUR


def test_mails_about_webhooks_move_back(make_webhook):
    webhook = make_webhook()
    mail = mails.queue(MailKind.WEBHOOK_FAILING, webhook=webhook, language="en", at=later(days=1))

    assert advance(webhook.partner, DAY).mails_due == 1

    mail.refresh_from_db()
    assert mail.due_at == NOON
