"""The access log as a source of anchors, archived months included."""

from foundation.anchoring.sources import RangeSource, register
from mcp_server.models import AccessLogEntry
from mcp_server.queries import archived_access_log

CALL = ["at", "connection_id", "tool", "business_id", "outcome", "duration_ms", "request_id"]

register(
    RangeSource(
        "access_log",
        AccessLogEntry,
        CALL,
        archived=lambda after, until: archived_access_log.iterate_rows(
            after, until, width=1 + len(CALL)
        ),
    )
)
