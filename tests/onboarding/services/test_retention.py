"""Deleting what nobody needs any more."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from banking.models import RateWindow
from onboarding.models import AccessCode, FlowSession, IdempotencyRecord
from onboarding.services import retention

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
    assert (IdempotencyRecord, RateWindow, AccessCode, FlowSession) == retention.EXPIRING


def test_only_what_is_past_its_end_is_deleted(make_record):
    make_record("before", NOON - SECOND)
    make_record("now", NOON)
    after = make_record("after", NOON + SECOND)

    assert retention.count_expired(IdempotencyRecord, at=NOON) == 2
    assert retention.purge_expired(IdempotencyRecord, at=NOON, batch_size=500) == 2
    assert IdempotencyRecord.objects.get() == after
    assert retention.purge_expired(IdempotencyRecord, at=NOON, batch_size=500) == 0


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
