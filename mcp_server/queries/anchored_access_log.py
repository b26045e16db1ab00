"""The access log as a source of anchors."""

from foundation.anchoring.sources import RangeSource, register
from mcp_server.models import AccessLogEntry

CALL = ["at", "connection_id", "tool", "business_id", "outcome", "duration_ms", "request_id"]

register(RangeSource("access_log", AccessLogEntry, CALL))
