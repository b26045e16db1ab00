"""The checklist of a case: what is required of it, met or missing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onboarding.admin.requirements import kinds_in_words, whose
from onboarding.queries.document_rules import list_document_rules
from onboarding.queries.requirements import SUPPLIED


@dataclass(frozen=True)
class Item:
    """One line of the checklist."""

    text: Any
    is_met: bool
    detail: Any = ""
    of: Any = ""
    until: datetime | None = None


def checklist_of(file):
    """Return what is required: documents of the checklist, documents asked for, and the rest."""
    missing = list(file.requirements)
    slots, asked = _slots(file, missing), _asked(file, missing)
    rest = [
        Item(
            text=one.message,
            is_met=False,
            detail=kinds_in_words(one.accepted_types) if one.accepted_types else "",
            of=whose(file, one.ubo_id) if one.ubo_id else "",
            until=one.due_date,
        )
        for one in missing
    ]
    return [*slots, *asked, *rest]


def _slots(file, missing):
    """Return the slots of the business type, each taken out of what is `missing`."""
    business_type = file.application.lead.business_type
    supplied = {one.llc_file_type for one in file.documents if one.status in SUPPLIED}
    slots = []
    for rule in list_document_rules(business_type) if business_type else []:
        lacking = _take(missing, f"{rule.code}_MISSING")
        if lacking is None and not supplied & {*rule.accepted_types}:
            continue  # it was asked for by its kind, and stands among what was asked for
        kinds = [kind for kind in rule.accepted_types if lacking or kind in supplied]
        slots.append(
            Item(
                text=rule.message,
                is_met=lacking is None,
                detail=kinds_in_words(kinds),
                until=lacking and lacking.due_date,
            )
        )
    return slots


def _asked(file, missing):
    """Return the documents that were asked for, each taken out of what is `missing`."""
    asked = []
    for request in file.application.document_requests:
        kind, ubo_id = request["llc_file_type"], request.get("ubo_id")
        lacking = _take(missing, f"{kind}_REQUESTED", ubo_id)
        asked.append(
            Item(
                text=f"{kinds_in_words([kind])}: {request['reason']}",
                is_met=lacking is None,
                detail=f"Asked for on {datetime.fromisoformat(request['requested_at']):%b %-d, %Y}",
                of=whose(file, ubo_id),
                until=lacking and lacking.due_date,
            )
        )
    return asked


def _take(missing, code, ubo_id=None):
    """Take what has this code out of what is missing; None if nothing has it."""
    for one in missing:
        if one.code == code and str(one.ubo_id) == str(ubo_id):
            missing.remove(one)
            return one
    return None
