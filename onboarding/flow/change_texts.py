"""Texts about the changes that owners ask for: what they are about, and what became of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from banking.models import BusinessOwner
from onboarding.choices import ChangeStatus
from onboarding.lazy_texts import StrOrPromise
from onboarding.lead_fields import LABELS
from onboarding.models import CustomerCase, Lead, Owner
from onboarding.queries.customer_changes import DENIALS, OF_BUSINESS, read_details

HOME_ADDRESS = _("Home address")
TEXTS: dict[str, StrOrPromise] = {
    **LABELS,
    **dict.fromkeys(["line1", "line2", "city", "state", "postal_code", "country"], HOME_ADDRESS),
    "address": HOME_ADDRESS,
    "role": _("Access to the account"),
    "ownership_percent": _("Share"),
}
NEW_OWNER = _("New owner")
STATES: dict[ChangeStatus, tuple[StrOrPromise, str]] = {  # and the tone of the badge
    ChangeStatus.RECEIVED: (_("Being checked"), "warning"),
    ChangeStatus.APPROVED: (_("Changed"), "good"),
    ChangeStatus.DENIED: (_("Not changed"), "fault"),
    ChangeStatus.CLOSED: (_("Account closed"), "plain"),
    ChangeStatus.WITHDRAWN: (_("Withdrawn"), "plain"),
}


@dataclass(frozen=True)
class Request:
    """A requested change, as the owners' pages show it.

    `texts` name the values that would change, without showing the values.
    """

    external_id: UUID
    at: datetime
    decided_at: datetime | None
    texts: list[str]
    state: StrOrPromise
    tone: str
    explanation: StrOrPromise
    is_readers: bool
    can_withdraw: bool


def describe(
    case: CustomerCase, people: Sequence[Lead | Owner], *, reader: BusinessOwner
) -> Request:
    """Return what a page shows the owner `reader` of a requested change.

    `people` are the present owners, the applicant first.
    """
    status = case.change_status
    state, tone = STATES[status]
    is_readers = case.opened_by_id == reader.user_id
    return Request(
        external_id=case.external_id,
        at=case.opened_at,
        decided_at=case.closed_at,
        texts=_texts(case, people),
        state=state,
        tone=tone,
        explanation=DENIALS.get(case.published_denial_reason or "", ""),
        is_readers=is_readers,
        can_withdraw=is_readers and status is ChangeStatus.RECEIVED,
    )


def _texts(case: CustomerCase, people: Sequence[Lead | Owner]) -> list[str]:
    """Return a line for each changed value of the business, and one for each changed person."""
    details = read_details(case) if case.content else {"owners": []}
    owners = details.pop("owners")
    names = {person.email: person.full_name for person in people}
    lines = [str(OF_BUSINESS[name]) for name in OF_BUSINESS if name in details]
    if of_applicant := [name for name in TEXTS if name in details and name not in OF_BUSINESS]:
        lines.append(_line(people[0].full_name, of_applicant))
    for sent in owners:
        name = names.get(sent["email"]) or f"{sent.get('first_name')} {sent.get('last_name')}"
        if "birth_date" in sent:  # only the page about a new owner asks for it
            lines.append(f"{NEW_OWNER}: {name}")
        else:
            lines.append(_line(name, [one for one in TEXTS if one in sent and one != "email"]))
    return lines


def _line(name: str, changed: Iterable[Any]) -> str:
    return f"{name}: {', '.join(dict.fromkeys(str(TEXTS[one]) for one in changed))}"
