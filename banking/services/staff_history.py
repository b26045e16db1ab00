"""Staff history: the chain of events about staff accounts, groups, rules, exports and searches."""

from datetime import datetime
from typing import Any

from structlog.contextvars import get_contextvars

from banking.choices import StaffEventType
from banking.models import StaffEvent, StaffHistory, User


def lock() -> StaffHistory:
    """Lock the end of the chain until the transaction ends, and return it.

    A transaction that changes staff locks it before other rows, so that no two wait for each other.
    """
    StaffHistory.objects.get_or_create(pk=1)
    return StaffHistory.objects.select_for_update(of=("self",)).get(pk=1)


def lock_for(user: User) -> None:
    """Lock the end of the chain if the user, whose row is locked next, is of staff."""
    if user.is_staff:
        lock()


def record(event_type: StaffEventType, *, by: User | None, at: datetime, **details: Any) -> None:
    """Add an event. Call it in the transaction of the change; it locks the end of the chain.

    `by` is None for an operator's command.
    """
    history = lock()
    event = StaffEvent(
        number=history.event_count + 1,
        type=event_type,
        who=str(by.external_id) if by else "",
        details={**details, "by": by.email if by else ""},
        request_id=get_contextvars().get("request_id", ""),
        occurred_at=at,
        previous_digest=history.last_digest,
    )
    event.digest = event.compute_digest()
    event.save()
    history.event_count, history.last_digest = event.number, event.digest
    history.save(update_fields=["event_count", "last_digest"])
