"""Reliance: contracts by which the bank relies on verifications that a partner made itself."""

from datetime import datetime
from typing import Any

from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import Partner


def propose(partner: Partner, contract: str, *, by: User, at: datetime) -> StaffChange:
    """Propose to a second administrator that a partner's own verifications count for checks.

    `contract` names the contract that allows it. Raises: AccountTooNew.
    """
    summary = [f"Verifications by {partner} count for checks, by {contract}."]
    payload = {"partner": partner.pk, "contract": contract}
    return staff_changes.propose(RELIANCE, payload=payload, summary=summary, by=by, at=at)


def propose_end(partner: Partner, *, by: User, at: datetime) -> StaffChange:
    """Propose to a second administrator that a partner's verifications, old and new, stop counting.

    Raises: AccountTooNew.
    """
    summary = [f"Verifications by {partner} no longer count for checks, earlier ones included."]
    payload = {"partner": partner.pk, "contract": ""}
    return staff_changes.propose(RELIANCE, payload=payload, summary=summary, by=by, at=at)


def _basis(change: StaffChange) -> Any:
    partners = Partner.objects.filter(pk=change.payload["partner"])
    return list(partners.values_list("name", "reliance_contract"))


def _carry_out(change: StaffChange) -> None:
    said = change.payload
    partners = Partner.objects.filter(pk=said["partner"])
    partners.update(reliance_contract=said["contract"])


RELIANCE = staff_changes.register(
    staff_changes.Kind("RELIANCE", "Verifications by a partner", _basis, _carry_out)
)
