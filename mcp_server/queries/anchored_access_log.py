"""The access log as sources of anchors, archived months included.

`limits` is newer than the first anchors, so it has a source of its own.
"""

from collections.abc import Iterator

from foundation.anchoring.sources import RangeSource, Row, register
from mcp_server.models import AccessLogEntry
from mcp_server.queries import archived_access_log

CALL = ["at", "connection_id", "tool", "business_id", "outcome", "duration_ms", "request_id"]


def _archived_calls(after: int, until: int) -> Iterator[Row]:
    return archived_access_log.iterate_rows(after, until, width=1 + len(CALL))


def _archived_limits(after: int, until: int) -> Iterator[Row]:
    for row in archived_access_log.iterate_rows(after, until, width=2 + len(CALL)):
        yield row[0], row[1 + len(CALL)]


register(RangeSource("access_log", AccessLogEntry, CALL, archived=_archived_calls))
register(RangeSource("access_log_limits", AccessLogEntry, ["limits"], archived=_archived_limits))
