"""Case checks: the newest run, leads with equal values, and earlier runs."""

from dataclasses import dataclass, field
from typing import Any

from foundation.backoffice.screens import badge, link_to
from onboarding.admin.case_people import BUSINESS_NUMBERS, NUMBERS
from onboarding.admin.people import lead_name
from onboarding.choices import CheckResult, CheckSource
from onboarding.models import Check, Document, Lead, SanctionsEntry

EARLIER = 10  # collapsed runs
ENCRYPTED_FIELDS = [*NUMBERS, *BUSINESS_NUMBERS]


@dataclass(frozen=True)
class Row:
    """A check with its display values."""

    check: Check
    label: str
    result: str
    of: str = ""
    hits: list[dict[str, Any]] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    is_open: bool = False
    is_manual: bool = False
    document: Document | None = None  # that a person of staff gave as evidence

    @property
    def passed(self):
        """Return whether the check passed."""
        return self.check.result == CheckResult.PASS


def checks_of(file, checks):
    """Return the current checks and the earlier runs for display."""
    entries, leads = _entries(checks), _leads(checks)
    rows = [_row(check, file, entries, leads) for check in checks]
    automatic = [row for row in rows if not row.is_manual]
    runs = list(file.application.check_runs.order_by("-number")[: EARLIER + 1])
    warned = (row for row in automatic if not row.passed)
    return {
        "run": runs[0] if runs else None,
        "warned": sorted(warned, key=lambda row: row.check.result != CheckResult.FAIL),
        "passed": [row for row in automatic if row.passed],
        "items": [row for row in rows if row.is_manual],
        "earlier": _with_checks(runs[1:]),
    }


def result_badge(result):
    """Return the result of a check as a badge."""
    return badge(f"result_{result}", CheckResult(result).label)


def _row(check, file, entries, leads):
    lead = file.lead
    person = _person(file, check.ubo_id)
    is_manual = check.source == CheckSource.MANUAL
    is_open = is_manual and check.by is None
    named = map(str, check.details.get("customer_ids", []))
    return Row(
        check=check,
        label=check.get_code_display(),
        result=badge("OPEN_ITEM", "To do") if is_open else result_badge(check.result),
        of=_name(person) if check.ubo_id else "",
        hits=[_hit(hit, person or lead, lead, entries) for hit in check.details.get("hits", [])],
        others=[_link(leads[one]) for one in named if one in leads],
        is_open=is_open,
        is_manual=is_manual,
        document=_document(file, check.details.get("document_id")),
    )


def _person(file, ubo_id):
    wanted = str(ubo_id)
    return next((one for one in file.owners if str(one.external_id) == wanted), None)


def _document(file, external_id):
    return next((one for one in file.documents if str(one.external_id) == external_id), None)


def _name(person):
    return (person.full_name or person.email) if person else "An owner who was removed"


def _hit(hit, person, lead, entries):
    """Return a sanctions entry, and the person or business that resembles its name."""
    entry = entries.get(hit["entry"])
    return {
        "whose": lead.business_name if hit["of"] == "BUSINESS" else person.full_name,
        "name": link_to(entry, hit["name"]) if entry else hit["name"],
        "score": hit["score"],
        "programs": hit["programs"],
        "matched": hit["matched"] if hit["matched"] != hit["name"] else "",
        "remarks": entry.remarks if entry else "",
        "addresses": [_address(one) for one in entry.addresses] if entry else [],
    }


def _address(address):
    values = address.values() if isinstance(address, dict) else [address]
    return ", ".join(str(value) for value in values if value)


def _entries(checks):
    """Return the current sanctions entries that the checks hit, by their numbers."""
    numbers = {hit["entry"] for check in checks for hit in check.details.get("hits", [])}
    if not numbers:
        return {}
    found = SanctionsEntry.objects.filter(sanctions_list__is_current=True, number__in=numbers)
    return {entry.number: entry for entry in found}


def _leads(checks):
    """Return the leads that checks found as duplicates, by external id as text.

    The encrypted identification numbers are not loaded.
    """
    ids = {one for check in checks for one in check.details.get("customer_ids", [])}
    if not ids:
        return {}
    found = (
        Lead.objects.filter(external_id__in=ids).select_related("partner").defer(*ENCRYPTED_FIELDS)
    )
    return {str(lead.external_id): lead for lead in found}


def _link(lead):
    return link_to(lead, f"{lead_name(lead)} ({lead.partner.name})")


def _with_checks(runs):
    """Set `shown` of each run to its checks, with one query."""
    checks = list(Check.objects.filter(run__in=runs).order_by("pk")) if runs else []
    for run in runs:
        run.shown = [
            (result_badge(check.result), check.get_code_display(), check.note)
            for check in checks
            if check.run_id == run.pk
        ]
    return runs
