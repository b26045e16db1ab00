"""Audited rows: the rows that events of a batch of leads name, read once for the whole batch."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

from django.db.models import F, Model, QuerySet

from onboarding.models import (
    Application,
    Check,
    Consent,
    Document,
    Event,
    HitJudgement,
    Holder,
    Lead,
    Owner,
    OwnerRecord,
    PartnerVerification,
    Proposal,
    QualityCheck,
    SignedRecord,
)
from onboarding.queries.holdings import Holding, list_holdings

Row = TypeVar("Row", bound=Model)
LEAD: Final[dict[type[Model], str]] = {  # the path from a row to its lead
    Check: "run__application__lead",
    Consent: "application__lead",
    Document: "lead",
    HitJudgement: "hit__lead",
    Holder: "lead",
    Owner: "lead",
    OwnerRecord: "application__lead",
    PartnerVerification: "application__lead",
    Proposal: "application__lead",
    QualityCheck: "application__lead",
    SignedRecord: "application__lead",
}
NEEDED: Final[dict[type[Model], list[str]]] = {  # related rows that are read with them
    Check: ["run"],
    OwnerRecord: ["owner"],
    Proposal: ["settled_by", "application"],
}


class AuditedRows:
    """The rows of a batch of leads, by model and lead. A model is read at its first use."""

    def __init__(self, leads: Sequence[Lead]) -> None:
        self.leads = leads
        self._ids = [lead.pk for lead in leads]
        self._found: dict[type[Model], dict[int, list[Any]]] = {}

    def of(self, lead: Lead, model: type[Row]) -> list[Row]:
        """Return the rows of a model that belong to a lead, in the order of their keys."""
        if model not in self._found:
            self._found[model] = self._read(model)
        return self._found[model].get(lead.pk, [])

    def events_of(self, lead: Lead) -> list[Event]:
        """Return the events of a lead by their numbers, each with its lead and application."""
        return self._events.get(lead.pk, [])

    def people_of(self, lead: Lead) -> list[Lead | Owner]:
        """Return the lead with all columns, and its owners in the order of their creation."""
        return [self._whole_leads[lead.pk], *self.of(lead, Owner)]

    def holdings_of(self, lead: Lead) -> list[Holding]:
        """Return the trusts and companies that hold the business of a lead."""
        if not self.of(lead, Holder):
            return []
        return list_holdings(lead, self.people_of(lead))

    @cached_property
    def _events(self) -> dict[int, list[Event]]:
        events = list(Event.objects.filter(lead__in=self._ids).order_by("lead", "number"))
        wanted = {event.application_id for event in events}
        applications = Application.objects.only("external_id", "status", "lead").in_bulk(wanted)
        leads = {lead.pk: lead for lead in self.leads}
        found = defaultdict(list)
        fields: list[Any] = [Event._meta.get_field(name) for name in ("lead", "application")]
        lead_of, application_of = fields
        for event in events:  # assignments would check each row
            lead_of.set_cached_value(event, leads[event.lead_id])
            application_of.set_cached_value(event, applications[event.application_id])
            found[event.lead_id].append(event)
        return found

    @cached_property
    def _whole_leads(self) -> dict[int, Lead]:
        return Lead.objects.in_bulk(self._ids)

    def _read(self, model: type[Row]) -> dict[int, list[Row]]:
        path = LEAD[model]
        rows: QuerySet[Any] = QuerySet(model).filter(**{f"{path}__in": self._ids}).order_by("pk")
        if path != "lead":
            rows = rows.annotate(lead_id=F(path))
        found = defaultdict(list)
        for row in rows.select_related(*NEEDED.get(model, [])) if model in NEEDED else rows:
            found[row.lead_id].append(row)
        return found
