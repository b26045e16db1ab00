"""The access log: a row per call, for good."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from mcp_server.models import AccessLogEntry
from mcp_server.services import access_log

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def record(assistant, **values):
    facts = {
        "connection_id": assistant.connection.pk,
        "tool": "svc_list_cards",
        "business_ids": [],
        "outcome": "OK",
        "duration_ms": 7,
        "request_id": "r" * 200,
        "at": NOON,
    }
    access_log.record(**{**facts, **values})


def test_a_call_is_written_in_one_statement(assistant, business, django_assert_num_queries):
    with django_assert_num_queries(1):
        record(assistant, business_ids=[business.pk])

    entry = AccessLogEntry.objects.get()
    assert (entry.at, entry.tool, entry.outcome, entry.duration_ms) == (
        NOON,
        "svc_list_cards",
        "OK",
        7,
    )
    assert (entry.connection, entry.business) == (assistant.connection, business)
    assert entry.request_id == "r" * 128


def test_a_call_that_concerns_several_businesses_has_a_row_for_each(
    assistant, make_business, django_assert_num_queries
):
    businesses = [make_business() for _ in range(3)]

    with django_assert_num_queries(1):
        record(assistant, business_ids=[business.pk for business in businesses])

    assert {entry.business for entry in AccessLogEntry.objects.all()} == {*businesses}
    assert AccessLogEntry.objects.values("at", "tool", "request_id").distinct().count() == 1


def test_an_entry_cannot_be_changed(assistant):
    record(assistant)

    with pytest.raises(IntegrityError, match="no_update"), transaction.atomic():
        AccessLogEntry.objects.update(tool="svc_get_current_user")


def test_an_unknown_outcome_is_refused(assistant):
    with pytest.raises(IntegrityError, match="access_log_outcome_known"), transaction.atomic():
        record(assistant, outcome="GUESSED")
