"""Hit scopes: the hits that are judged together, of one case or of one party of the records."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from django.db.models import QuerySet

from banking.choices import StaffEventType
from banking.models import User
from banking.services import staff_history
from onboarding.choices import PartyKind, ReviewCause
from onboarding.event_types import EventType
from onboarding.models import Application, ScreeningHit
from onboarding.queries.leads import open_lead_file
from onboarding.queries.parties import find_record
from onboarding.queries.screening_hits import digest_party, digest_record
from onboarding.services.checks import hit_alerts, risks
from onboarding.services.customers import reviews
from onboarding.services.events import history
from onboarding.services.reviews import cases


class HitScope(Protocol):
    """The hits of one case, or of one party of the records, and the effects of judging them."""

    def lock(self) -> None:
        """Lock the row that guards the hits, in the caller's transaction. Raises: Superseded."""

    def hits(self) -> QuerySet[ScreeningHit]:
        """Return all hits of the scope."""

    def digests_of(self, hits: Sequence[ScreeningHit]) -> list[list[str]]:
        """Return, for each hit, the digests of its party's present data; none if it was removed."""

    def touch(self, at: datetime) -> None:
        """Record the first step of staff in the review of a case, if this step is the first."""

    def settle(self, at: datetime) -> None:
        """Update the alerts and, of a case, the risk rating after hits were judged."""

    def report_match(self, *, by: User, at: datetime) -> None:
        """Open a review of the customer of a confirmed match, if its application became one."""

    def record(self, event_type: EventType, *, by: User, at: datetime, **details: Any) -> None:
        """Add an event to the sealed history of the scope."""


class CaseHits:
    """The screening hits of a lead, which staff judge on the page of its application."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def lock(self) -> None:
        self.application = cases.lock(self.application)

    def hits(self) -> QuerySet[ScreeningHit]:
        return ScreeningHit.objects.filter(lead=self.application.lead_id)

    def digests_of(self, hits: Sequence[ScreeningHit]) -> list[list[str]]:
        file = open_lead_file(self.application)
        parties = [file.find_party(hit.party_id) for hit in hits]
        return [
            digest_party(party, hit.subject) if party else []
            for hit, party in zip(hits, parties, strict=True)
        ]

    def touch(self, at: datetime) -> None:
        cases.touch(self.application, at=at)

    def settle(self, at: datetime) -> None:
        risks.rate_exposed(self.application)
        hit_alerts.update_alert(self.application, is_alert=False, at=at)

    def report_match(self, *, by: User, at: datetime) -> None:
        reviews.trigger(self.application, ReviewCause.CONFIRMED_HIT, by=cases.actor(by), at=at)

    def record(self, event_type: EventType, *, by: User, at: datetime, **details: Any) -> None:
        history.record(self.application, event_type, by=cases.actor(by), at=at, **details)


class RecordHits:
    """The hits of a party of the records; the staff history holds their judgements."""

    def __init__(self, kind: PartyKind, row: int) -> None:
        self.kind, self.row = kind, row

    def lock(self) -> None:
        list(self.hits().select_for_update(of=("self",)).order_by("pk").values_list("pk"))

    def hits(self) -> QuerySet[ScreeningHit]:
        return ScreeningHit.objects.filter(party_kind=self.kind, party_row=self.row)

    def digests_of(self, hits: Sequence[ScreeningHit]) -> list[list[str]]:
        party = find_record(self.kind, self.row)
        return [digest_record(party) if party else [] for _ in hits]

    def touch(self, at: datetime) -> None:
        """Do nothing: no clock runs for a party of the records."""

    def settle(self, at: datetime) -> None:
        hit_alerts.end_record_alerts(PartyKind(self.kind), self.row)

    def report_match(self, *, by: User, at: datetime) -> None:
        """Do nothing: the party may be no customer of an application."""

    def record(self, event_type: EventType, *, by: User, at: datetime, **details: Any) -> None:
        said = {"step": event_type.value, "party": f"{self.kind} {self.row}", **details}
        summary = [f"{PartyKind(self.kind).label} {self.row}: {event_type.label}"]
        staff_history.record(StaffEventType.HIT_JUDGED, by=by, at=at, summary=summary, **said)
