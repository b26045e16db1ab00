"""Case checklist: the requirements of an application, met or missing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from foundation.times import show_day
from onboarding.admin.requirements import kinds_in_words, whose
from onboarding.queries.requirements import is_supplied


@dataclass(frozen=True)
class Item:
    """A line of the checklist: a requirement, and the time `until` which a person has to meet it.

    `of` is the person whom the requirement concerns. A met requirement has no `until`.
    """

    text: Any
    is_met: bool
    detail: Any = ""
    of: Any = ""
    until: datetime | None = None


def checklist_of(file):
    """Return the lines of the checklist of a lead file.

    First the document slots and the requested documents, met or missing, then the other
    requirements, which are missing.
    """
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
    """Return the document slots of the business type. Removes unmet slots from `missing`.

    Slots that no document fills, but that a request of staff covers, are left out.
    """
    supplied = {one.llc_file_type for one in file.documents if is_supplied(one)}
    slots = []
    for rule in file.rules:
        lacking = _take(missing, f"{rule.code}_MISSING")
        if lacking is None and not supplied & {*rule.accepted_types}:
            continue  # listed with the requested documents
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
    """Return the requested documents. Removes unmet requests from `missing`."""
    asked = []
    for request in file.application.document_requests:
        kind, ubo_id = request["llc_file_type"], request.get("ubo_id")
        lacking = _take(missing, f"{kind}_REQUESTED", ubo_id)
        asked.append(
            Item(
                text=f"{kinds_in_words([kind])}: {request['reason']}",
                is_met=lacking is None,
                detail=f"Asked for on {show_day(datetime.fromisoformat(request['requested_at']))}",
                of=whose(file, ubo_id),
                until=lacking and lacking.due_date,
            )
        )
    return asked


def _take(missing, code, ubo_id=None):
    """Remove and return the requirement with this code and owner, or None."""
    for one in missing:
        if one.code == code and str(one.ubo_id) == str(ubo_id):
            missing.remove(one)
            return one
    return None
