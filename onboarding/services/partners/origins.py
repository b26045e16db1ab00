"""Origins: pages that can show a partner's application, which a second administrator confirms."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import Partner
from onboarding.services.partners import appearance


def propose(partner: Partner, origins: Sequence[str], *, by: User, at: datetime) -> StaffChange:
    """Propose to a second administrator to add origins. Raises: AccountTooNew."""
    summary = [f"Pages of {origin} can show the application of {partner}." for origin in origins]
    payload = {"partner": partner.pk, "origins": list(origins)}
    return staff_changes.propose(ORIGINS, payload=payload, summary=summary, by=by, at=at)


def _basis(change: StaffChange) -> Any:
    partners = Partner.objects.filter(pk=change.payload["partner"])
    return list(partners.values_list("name", "embed_origins"))


def _carry_out(change: StaffChange) -> None:
    said = change.payload
    appearance.admit_origins(Partner.objects.get(pk=said["partner"]), said["origins"])


ORIGINS = staff_changes.register(
    staff_changes.Kind("ORIGINS", "Pages that can show an application", _basis, _carry_out)
)
