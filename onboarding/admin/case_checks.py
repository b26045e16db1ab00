"""Case checks: the newest run, leads with the same numbers or files, and earlier runs."""

from dataclasses import dataclass, field

from foundation.backoffice.screens import badge, link_to
from onboarding.admin.case_people import BUSINESS_NUMBERS, NUMBERS
from onboarding.admin.people import lead_name
from onboarding.choices import CheckResult, CheckSource
from onboarding.models import Check, Document, Lead
from onboarding.queries.verifications import item_of

EARLIER = 10  # collapsed runs
ENCRYPTED_FIELDS = [*NUMBERS, *BUSINESS_NUMBERS]


@dataclass(frozen=True)
class Row:
    """A check with its display values, for example the name of the person whom it is `of`.

    `others` are links to the leads with the same number or file.
    """

    check: Check
    label: str
    result: str
    of: str = ""
    hits: int = 0
    others: list[str] = field(default_factory=list)
    is_open: bool = False
    is_manual: bool = False
    document: Document | None = None  # that a person of staff gave as evidence
    evidence: list["Row"] = field(default_factory=list)  # verifications, of an item for staff

    @property
    def passed(self):
        """Return whether the check passed."""
        return self.check.result == CheckResult.PASS


def checks_of(file, checks):
    """Return the template context of the current `checks` and of the earlier runs.

    Shape: the newest `run`, None before the first; the automatic checks that `warned`, failed ones
    first, and those that `passed`; the `items` for staff; at most EARLIER runs in `earlier`.
    """
    leads = _leads(checks)
    rows = [_row(check, file, leads) for check in checks]
    for row in rows:
        row.evidence.extend(one for one in rows if item_of(one.check) == row.check.code)
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


def result_badge(check):
    """Return the result of a check as a badge; staff answer "Unclear" where rules warn."""
    is_unclear = check.source == CheckSource.MANUAL and check.result == CheckResult.WARN
    label = "Unclear" if is_unclear else check.get_result_display()
    return badge(f"result_{check.result}", label)


def _row(check, file, leads):
    person = _person(file, check.ubo_id)
    is_manual = check.source == CheckSource.MANUAL
    is_open = is_manual and check.by is None
    named = map(str, check.details.get("customer_ids", []))
    return Row(
        check=check,
        label=check.get_code_display(),
        result=badge("OPEN_ITEM", "To do") if is_open else result_badge(check),
        of=_name(person) if check.ubo_id else "",
        hits=len(check.details.get("hits", [])),
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
    """Set `shown` of each run to a badge, label and note for each of its checks; return the runs.

    Runs one database query.
    """
    checks = list(Check.objects.filter(run__in=runs).order_by("pk")) if runs else []
    for run in runs:
        run.shown = [
            (result_badge(check), check.get_code_display(), check.note)
            for check in checks
            if check.run_id == run.pk
        ]
    return runs
