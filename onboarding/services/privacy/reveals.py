"""Reveals: personal numbers shown to staff, with a recorded reason."""

import re
from datetime import datetime

from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from onboarding.event_types import EventType
from onboarding.models import Application, Lead, Owner
from onboarding.services.events import history
from onboarding.services.reviews import cases
from onboarding.services.reviews.cases import Incomplete

SHORTEST_REASON = 5
MUCH_OF_A_NUMBER = re.compile(r"\d{4}")  # digits that the log must never contain
OF_PERSON = {"ssn", "passport_number", "id_gov_number"}
OF_LEAD = OF_PERSON | {"ein"}


class NothingToReveal(StepRefused):
    """No number is stored in this field of this person."""

    message = "There is no such number."


def require_reason(text: str) -> str:
    """Return the reason for access to personal data, stripped.

    Raises: Incomplete if it is shorter than SHORTEST_REASON or has four digits in a row.
    """
    reason = text.strip()
    if len(reason) < SHORTEST_REASON:
        raise Incomplete(f"Say what for, in {SHORTEST_REASON} characters or more.")
    if MUCH_OF_A_NUMBER.search(reason):
        raise Incomplete("Say what for without a number: the reason is kept in the log.")
    return reason


@transaction.atomic
def reveal(
    application: Application,
    person: Lead | Owner,
    field: str,
    *,
    reason: str,
    by: User,
    at: datetime,
) -> str:
    """Return a personal number, and record the user and the reason in an event.

    `field` is `ssn`, `passport_number`, `id_gov_number` or, of a lead, `ein`. Locks the lead.
    Raises: Incomplete, NothingToReveal.
    """
    reason = require_reason(reason)
    if field not in (OF_LEAD if isinstance(person, Lead) else OF_PERSON):
        raise NothingToReveal
    if not cases.is_person_of(person, application):
        raise NothingToReveal
    locked = cases.lock_any(application)
    owners = locked.lead.owners.filter(pk=person.pk)
    fresh = owners.first() if person.ubo_id else locked.lead
    number: str = getattr(fresh, field, "")  # `fresh` is None for a removed owner
    if not number:
        raise NothingToReveal
    ubo = {"ubo_id": str(person.ubo_id)} if person.ubo_id else {}
    details = {"field": field, "reason": reason, **ubo}
    history.record(locked, EventType.NUMBER_REVEALED, by=cases.actor(by), at=at, **details)
    return number
