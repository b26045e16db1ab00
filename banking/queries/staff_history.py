"""Staff history: checks of the chain of staff events."""

from collections.abc import Iterator

from banking.choices import StaffChangeStatus
from banking.models import StaffChange, StaffEvent, StaffHistory
from foundation.database import hash_chains


def find_faults() -> Iterator[str]:
    """Yield each staff event that was changed or is missing, and confirmations without an event."""
    end = StaffHistory.objects.first() or StaffHistory()
    events = list(StaffEvent.objects.order_by("number"))
    for number, event, digest in hash_chains.walk(events, until=end.event_count):
        faults = hash_chains.list_faults(event, digest) if event else ["is missing"]
        yield from (f"staff event {number} {fault}" for fault in faults)
    last = events[-1] if events else StaffEvent(number=0)
    if (last.number, last.digest) != (end.event_count, end.last_digest):
        yield f"staff event {last.number} is not where the history of staff ends"
    recorded = {
        (event.details.get("change"), event.who, event.details.get("digest"))
        for event in events
        if event.type == StaffChangeStatus.CONFIRMED
    }
    confirmed = StaffChange.objects.filter(status=StaffChangeStatus.CONFIRMED)
    for change in confirmed.select_related("settled_by").order_by("pk"):
        second = str(change.settled_by.external_id) if change.settled_by else ""
        if (str(change.external_id), second, change.digest) not in recorded:
            yield f"proposed change {change.external_id} is confirmed without an event"
