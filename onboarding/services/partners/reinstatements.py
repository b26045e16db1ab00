"""Reinstatements: a suspended partner calls the API again, once a second administrator confirms."""

from datetime import datetime
from typing import Any

from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import Partner


def propose(partner: Partner, *, by: User, at: datetime) -> StaffChange:
    """Propose to a second administrator to end a partner's suspension. Raises: AccountTooNew."""
    since = f"{partner.suspended_at:%b %-d, %Y}" if partner.suspended_at else "now"
    summary = [f"{partner}, which is suspended since {since}, can call the API again."]
    payload = {"partner": partner.pk}
    return staff_changes.propose(REINSTATEMENT, payload=payload, summary=summary, by=by, at=at)


def _partner(change: StaffChange) -> Partner:
    return Partner.objects.get(pk=change.payload["partner"])


def _basis(change: StaffChange) -> Any:
    partner = _partner(change)
    return [partner.name, partner.suspended_at and partner.suspended_at.isoformat()]


def _carry_out(change: StaffChange) -> None:
    _partner(change).reinstate()


REINSTATEMENT = staff_changes.register(
    staff_changes.Kind("REINSTATEMENT", "End of a partner's suspension", _basis, _carry_out)
)
