"""Limits of a partner: calls and creates a minute per access key, and the number of webhooks.

One administrator proposes them, and a second administrator confirms them.
"""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from django.conf import settings

from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import Partner

LARGEST: Final = {"calls_per_minute": 100_000, "creates_per_minute": 100_000, "webhooks_max": 1_000}
USUAL: Final = {  # the settings that hold for partners without a value of their own
    "calls_per_minute": "CALLS_PER_MINUTE",
    "creates_per_minute": "CREATES_PER_MINUTE",
    "webhooks_max": "WEBHOOKS_MAX",
}
WORDS: Final = {
    "calls_per_minute": "calls a minute and access key",
    "creates_per_minute": "creates a minute and access key",
    "webhooks_max": "webhooks",
}


@dataclass(frozen=True)
class PartnerLimits:
    """The limits of a partner; None stands for the setting of the deployment."""

    calls_per_minute: int | None = None
    creates_per_minute: int | None = None
    webhooks_max: int | None = None


def propose(partner: Partner, wanted: PartnerLimits, *, by: User, at: datetime) -> StaffChange:
    """Propose limits of a partner to a second administrator. Raises: AccountTooNew, ValueError."""
    limits = asdict(wanted)
    for name, value in limits.items():
        if value is not None and not 1 <= value <= LARGEST[name]:
            raise ValueError(f"{name} must be between 1 and {LARGEST[name]}")
    summary = [
        f"{partner} may have {_shown(name, value)} {WORDS[name]}."
        for name, value in limits.items()
        if value != getattr(partner, name)
    ]
    payload = {"partner": partner.pk, "limits": limits}
    return staff_changes.propose(LIMITS, payload=payload, summary=summary, by=by, at=at)


def limit_of(partner: Partner | None, name: str) -> int:
    """Return a limit by the name of its column: the partner's own, else that of the settings."""
    own: int | None = getattr(partner, name, None)
    usual: int = getattr(settings, USUAL[name])
    return usual if own is None else own


def _shown(name: str, value: int | None) -> str:
    return f"the usual {getattr(settings, USUAL[name]):,}" if value is None else f"{value:,}"


def _basis(change: StaffChange) -> Any:
    partners = Partner.objects.filter(pk=change.payload["partner"])
    return list(partners.values_list("name", *USUAL))


def _carry_out(change: StaffChange) -> None:
    said = change.payload
    Partner.objects.filter(pk=said["partner"]).update(**said["limits"])


LIMITS = staff_changes.register(
    staff_changes.Kind("PARTNER_LIMITS", "Limits of a partner", _basis, _carry_out)
)
