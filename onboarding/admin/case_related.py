"""Related cases: the card of leads that share a value with a lead, and the list filter for them."""

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.urls import reverse

from foundation.backoffice.lists import key_of, may_view
from foundation.backoffice.screens import badge, link_to
from onboarding.admin.people import lead_name
from onboarding.admin.statuses import status_badge
from onboarding.choices import ApplicationStatus
from onboarding.models import Application, Document, Lead, Owner
from onboarding.queries import related_leads
from onboarding.queries.leads import open_lead_file
from onboarding.queries.related_leads import MOST, SharedKind

PARAMETER = "shares"


@dataclass(frozen=True)
class RelatedRow:
    """A related case with its display values."""

    case: Any
    partner: str
    status: Any
    shared: list[str]
    marks: list[Any]


@dataclass(frozen=True)
class CountRow:
    """A kind of value, the number of leads that share such a value with the lead, and their list.

    `flagged` of them were denied or have a confirmed screening hit.
    """

    label: str
    count: str
    flagged: int
    is_common: bool
    url: str


class SharedFilter(admin.SimpleListFilter):
    """Filter by a kind of value that leads share with one lead.

    It appears only while the address names the kind and the lead. The value is never named.
    """

    title, parameter_name = "shared value", PARAMETER

    def lookups(self, request, model_admin):
        kind, _, text = (self.value() or "").partition("-")
        pk = key_of(text)
        if kind not in SharedKind.values or not pk:
            return []
        if not may_view(request, Lead, Owner, Document):
            return []
        found = Application.objects.select_related("lead", "account")
        self.case = found.filter(lead=pk, is_current=True).first()
        if self.case is None:
            return []
        return [(self.value(), f"{SharedKind(kind).label} of {lead_name(self.case.lead)}")]

    def queryset(self, request, queryset):
        kind = SharedKind(self.value().partition("-")[0])
        file = open_lead_file(self.case)
        return queryset.filter(lead__in=related_leads.list_keys(file, kind))


def related_of(file):
    """Return the template context of the related cases of a lead.

    Shape: `rows` of the closest cases, how many of them are `flagged` as denied or with a confirmed
    screening hit, and `counts` by kind of value.
    """
    found = related_leads.find_related(file)
    return {
        "rows": [_row(one) for one in found.leads],
        "counts": [_count(one, file.lead) for one in found.counts],
        "flagged": sum(one.was_denied or one.has_confirmed_hit for one in found.leads),
    }


def _row(related):
    lead = related.application.lead
    return RelatedRow(
        link_to(related.application, lead_name(lead)),
        lead.partner.name,
        status_badge(related.application.status),
        [_say(kind, whose) for kind, whose in related.shared.items()],
        _marks(related),
    )


def _say(kind, whose):
    """Return the kind of a shared value and its owners as text, for example `Phone of Ada Lopez`.

    `whose` has the names of the owners; of files, the names of the files.
    """
    if kind is SharedKind.FILE:
        return f"{kind.label} {', '.join(sorted(whose))}".strip()
    return f"{kind.label} of {', '.join(sorted(whose))}" if whose else str(kind.label)


def _marks(related):
    marks = []
    if related.was_denied and related.application.status != ApplicationStatus.DENIED:
        marks.append(badge("DENIED", "Denied", "An application of this lead was denied"))
    if related.has_confirmed_hit:
        marks.append(badge("result_fail", "Sanctions match", "A screening hit was confirmed"))
    return marks


def _count(one, lead):
    chosen = {PARAMETER: f"{one.kind.value}-{lead.pk}"}
    return CountRow(
        str(one.kind.label),
        f"more than {MOST}" if one.count > MOST else f"{one.count}",
        one.flagged,
        one.is_common,
        reverse("admin:onboarding_application_changelist", query=chosen),
    )
