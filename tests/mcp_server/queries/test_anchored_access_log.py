"""The access log, changed by a person who may write every table, and its anchors."""

import pytest
from django.db import connection

from foundation.anchoring.sources import SOURCES
from foundation.database import append_only
from mcp_server.models import AccessLogEntry
from tests.factories import NOON, later


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("access_log", lambda entries: entries.update(tool="svc_list_bills")),
        ("access_log", lambda entries: entries.update(at=later(hours=1))),
        ("access_log", lambda entries: entries.delete()),
        ("access_log_limits", lambda entries: entries.update(limits=None)),
        ("access_log_limits", lambda entries: entries.delete()),
    ],
)
def test_a_changed_or_deleted_entry_is_found(assistant, business, name, change):
    entry = AccessLogEntry.objects.create(
        at=NOON,
        connection=assistant.connection,
        tool="svc_list_cards",
        business=business,
        outcome="OK",
        duration_ms=3,
        request_id="r",
        limits="hides_names",
    )
    source = SOURCES[name]
    records = list(source.records(after=0, until=entry.pk))
    assert list(source.compare(records)) == []

    append_only.unprotect(connection, "mcp_server_accesslogentry")
    change(AccessLogEntry.objects.filter(pk=entry.pk))

    assert len(list(source.compare(records))) == 1
