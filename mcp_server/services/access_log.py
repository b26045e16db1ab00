"""Write the access log: a row per tool call and concerned business, in one INSERT.

Each call is logged before its answer is sent, so a killed process loses no entry. The statement is
written by hand, because the ORM would build it anew for each call.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from foundation.database import prepared_statements
from mcp_server.models import AccessLogEntry

INSERT = """
    INSERT INTO mcp_server_accesslogentry
        (at, connection_id, tool, outcome, duration_ms, request_id, limits, business_id)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""


def record(
    *,
    connection_id: int,
    tool: str,
    business_ids: Sequence[int],
    outcome: str,
    duration_ms: int,
    request_id: str,
    limits: Sequence[str] = (),
    at: datetime,
) -> None:
    """Add a call to the access log: one row, or one for each of several businesses.

    `business_ids` are the keys of the businesses whose data were told, none for other calls.
    """
    call: dict[str, Any] = {
        "at": at,
        "connection_id": connection_id,
        "tool": tool,
        "outcome": outcome,
        "duration_ms": duration_ms,
        "request_id": request_id[:128],
        "limits": " ".join(limits),
    }
    if len(business_ids) > 1:
        rows = [AccessLogEntry(business_id=business_id, **call) for business_id in business_ids]
        AccessLogEntry.objects.bulk_create(rows)
        return
    call["at"] = connection.ops.adapt_datetimefield_value(at)
    prepared_statements.execute(INSERT, [*call.values(), business_ids[0] if business_ids else None])
