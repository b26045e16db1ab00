"""Sources of anchors: the last event of each lead's history, and all events in ranges of ids.

A forged event with an id in a range that was anchored before is in no new record of its history.
It is found all the same: its range has more events than were anchored.
"""

from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db.models import Exists, Model, OuterRef

from foundation.anchoring.sources import Finding, RangeSource, register
from foundation.anchoring.statements import Record
from onboarding.models import Event, Lead

CHUNK = 1000


class Histories:
    """A record per lead with new events: external id, number of events, digest of the last event.

    A digest is that of the whole history up to its event. Leads are never deleted and an erasure
    is an event, so a history that differs from its record was forged or rolled back.
    """

    name = "histories"
    model: type[Model] = Event
    records_at_once = 500

    def records(self, *, after: int, until: int) -> Iterator[Record]:
        """Yield a record of each lead with events in the range of ids: of its last event there.

        The range begins after the id `after`, and includes the id `until`.
        """
        later = Event.objects.filter(lead=OuterRef("lead"), number__gt=OuterRef("number"))
        last = Event.objects.filter(~Exists(later.filter(pk__lte=until)), pk__gt=after)
        columns = last.filter(pk__lte=until).order_by("pk")
        rows = columns.values_list("lead__external_id", "number", "digest")
        for external_id, number, digest in rows.iterator(chunk_size=CHUNK):
            yield Record(self.name, str(external_id), number, digest)

    def compare(self, records: Sequence[Record]) -> Iterator[Finding]:
        """Yield each record that the database contradicts, with a sentence about its lead.

        The lead is gone, has fewer events than the record, or another event at its number.
        """
        ids = [UUID(record.name) for record in records]
        leads = set(Lead.objects.filter(external_id__in=ids).values_list("external_id", flat=True))
        events = Event.objects.filter(lead__external_id__in=ids)
        numbered = events.filter(number__in={record.count for record in records})
        digests = {
            (external_id, number): digest
            for external_id, number, digest in numbered.values_list(
                "lead__external_id", "number", "digest"
            )
        }
        for external_id, record in zip(ids, records, strict=True):
            digest = digests.get((external_id, record.count))
            if external_id not in leads:
                fault = f"deleted, with its {record.count} events"
            elif digest is None:
                fault = f"rolled back: its event {record.count} is gone"
            elif digest != record.digest:
                fault = f"rewritten: its first {record.count} events are not those anchored"
            else:
                continue
            yield record, f"lead {external_id}: {fault}"


register(Histories())
register(RangeSource("events", Event, ["number", "previous_digest", "digest"]))
