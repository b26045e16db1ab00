"""Deleting what nobody needs any more."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from banking.models import RateWindow
from onboarding.models import (
    AccessCode,
    ClockMove,
    Delivery,
    DeliveryAttempt,
    Event,
    FlowSession,
    FormDraft,
    IdempotencyRecord,
    Lane,
    Mail,
    Notification,
    PhoneLink,
    Publication,
)
from onboarding.services.privacy import retention

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def make_record(make_partner):
    partner = make_partner()

    def make(key, expires_at):
        return IdempotencyRecord.objects.create(
            partner=partner, method="PUT", path="lead", key=key, body_sha256="",
            locked_until=expires_at, expires_at=expires_at,
        )  # fmt: skip

    return make


def make_window(subject, expires_at):
    return RateWindow.objects.create(subject=subject, count=1, expires_at=expires_at)


def test_every_table_with_an_end_is_purged():
    with_an_end = (
        IdempotencyRecord,
        RateWindow,
        AccessCode,
        PhoneLink,
        FlowSession,
        FormDraft,
    )
    kept_for_a_while = (Delivery, Publication, Lane, Mail, Notification, ClockMove)

    assert with_an_end + kept_for_a_while == retention.EXPIRING


def test_only_what_is_past_its_end_is_deleted(make_record):
    make_record("before", NOON - SECOND)
    make_record("now", NOON)
    after = make_record("after", NOON + SECOND)

    assert retention.count_expired(IdempotencyRecord, at=NOON) == 2
    assert retention.purge_expired(IdempotencyRecord, at=NOON, batch_size=500) == 2
    assert IdempotencyRecord.objects.get() == after
    assert retention.purge_expired(IdempotencyRecord, at=NOON, batch_size=500) == 0


def test_a_session_is_kept_while_a_form_posted_in_it_may_be(make_application, settings):
    FlowSession.objects.create(
        application=make_application(), digest="a", created_at=NOON, expires_at=NOON
    )
    end = NOON + settings.FORM_DRAFT_LIFETIME

    assert retention.purge_expired(FlowSession, at=end - SECOND, batch_size=5) == 0
    assert retention.purge_expired(FlowSession, at=end, batch_size=5) == 1


@pytest.mark.django_db
def test_rows_are_deleted_in_batches():
    for number in range(5):
        make_window(f"calls:{number}", NOON)

    with CaptureQueriesContext(connection) as statements:
        assert retention.purge_expired(RateWindow, at=NOON, batch_size=2) == 5

    deletions = [query["sql"] for query in statements if query["sql"].startswith("DELETE")]
    assert len(deletions) == 3


@pytest.mark.django_db
def test_a_row_that_is_renewed_meanwhile_stays():
    kept, gone = make_window("calls:a", NOON), make_window("calls:b", NOON)

    def renew(execute, sql, params, many, context):
        if sql.startswith("DELETE"):
            later = NOON + SECOND
            with connection.cursor() as cursor:
                cursor.execute(
                    "UPDATE banking_ratewindow SET expires_at = %s WHERE subject = %s",
                    [connection.ops.adapt_datetimefield_value(later), kept.subject],
                )
        return execute(sql, params, many, context)

    with connection.execute_wrapper(renew):
        assert retention.purge_expired(RateWindow, at=NOON, batch_size=500) == 1

    assert RateWindow.objects.get() == kept
    assert gone.subject != kept.subject


@pytest.fixture
def old(happen, application, webhook, settings):
    """Return publications of two events that were delivered when `KEPT_FOR` ends at NOON."""
    at = NOON - settings.KEPT_FOR
    happen(application, 2, at=at)
    Delivery.objects.update(status="DELIVERED", next_attempt_at=None, finished_at=at)
    Lane.objects.update(due_at=None)
    for delivery in Delivery.objects.all():
        for number in (1, 2):
            DeliveryAttempt.objects.create(
                delivery=delivery, number=number, at=at, duration_ms=1, answer="x" * 2048
            )
    return Publication.objects.order_by("pk")


def purge(at=NOON, batch_size=500):
    """Return how many rows went of each table that was not empty."""
    counts = {
        model.__name__: retention.purge_expired(model, at=at, batch_size=batch_size)
        for model in retention.EXPIRING
    }
    return {name: count for name, count in counts.items() if count}


def test_what_was_delivered_goes_with_all_it_needed_and_events_stay(old):
    events = Event.objects.count()

    assert purge(at=NOON - SECOND) == {}
    assert purge() == {"Delivery": 2, "Publication": 2, "Lane": 1}
    assert not DeliveryAttempt.objects.exists()
    assert Event.objects.count() == events
    assert purge() == {}


def test_what_waits_stays_with_its_publication_and_its_lane(old):
    waiting = Delivery.objects.filter(publication=old[0])
    waiting.update(status="PENDING", next_attempt_at=NOON, finished_at=None)

    assert purge() == {"Delivery": 1, "Publication": 1}
    assert DeliveryAttempt.objects.count() == 2
    assert Delivery.objects.get().publication == Publication.objects.get()
    assert Lane.objects.count() == 1


@pytest.mark.parametrize("busy", [{"due_at": NOON}, {"leased_until": NOON}])
def test_a_lane_that_somebody_serves_or_will_stays(old, busy):
    Lane.objects.update(**busy)

    assert "Lane" not in purge()


def test_mails_that_left_or_were_given_up_go(make_application, settings):
    then, application = NOON - settings.KEPT_FOR, make_application()
    for status in ("SENT", "FAILED", "QUEUED", "SENT"):
        Mail.objects.create(
            kind="REMINDER", application=application, language="en", status=status, due_at=then,
            sent_at=then if status == "SENT" else None, created_at=then,
        )  # fmt: skip
    Mail.objects.filter(pk=Mail.objects.first().pk).update(created_at=then + SECOND)

    assert purge() == {"Mail": 2}
    assert [mail.status for mail in Mail.objects.order_by("pk")] == ["QUEUED", "SENT"]


def test_notifications_go_after_their_mails(make_application, make_user, settings):
    then, user = NOON - settings.KEPT_FOR, make_user(user_type="STAFF")
    for status in ("SENT", "QUEUED"):
        notice = Notification.objects.create(
            user=user, kind="MENTIONED", application=make_application(), at=then
        )
        Mail.objects.create(
            kind="STAFF_NOTICE", application=notice.application, user=user, notification=notice,
            language="en", status=status, due_at=then, created_at=then,
            sent_at=then if status == "SENT" else None,
        )  # fmt: skip

    assert purge() == {"Mail": 1, "Notification": 1}


def test_moves_of_the_clock_go_when_they_were_finished_long_ago(make_partner, settings):
    then, partner = NOON - settings.KEPT_FOR, make_partner()
    counts = dict.fromkeys(("leads_total", "deliveries_due", "mails_due", "documents_due"), 0)
    for finished_at in (then, then + SECOND, None):
        ClockMove.objects.create(
            partner=partner, seconds=1, created_at=then, finished_at=finished_at, **counts
        )

    assert purge() == {"ClockMove": 1}
    assert ClockMove.objects.count() == 2


def test_a_batch_of_deliveries_is_three_statements_however_many_there_are(old):
    def count():
        with CaptureQueriesContext(connection) as statements:
            retention.purge_expired(Delivery, at=NOON, batch_size=500)
        words = [query["sql"].split()[0] for query in statements]
        return [word for word in words if word in ("SELECT", "DELETE")]

    assert count() == ["SELECT", "DELETE", "DELETE"]
    assert not Delivery.objects.exists()


def test_deliveries_go_in_batches_and_each_is_told(old):
    counts_left = []

    count = retention.purge_expired(
        Delivery, at=NOON, batch_size=1, report=lambda: counts_left.append(Delivery.objects.count())
    )

    assert (count, counts_left) == (2, [1, 0])
