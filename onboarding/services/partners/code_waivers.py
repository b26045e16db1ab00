"""Code waivers: contracts by which applicants sign on a partner's pages without a mailed code."""

from datetime import datetime
from typing import Any

from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import Partner


def propose(partner: Partner, contract: str, *, by: User, at: datetime) -> StaffChange:
    """Propose to a second administrator that a partner's applicants sign without a mailed code.

    `contract` names the contract that allows it. Raises: AccountTooNew.
    """
    summary = [f"Applicants of {partner} sign without a code, by {contract}."]
    payload = {"partner": partner.pk, "contract": contract}
    return staff_changes.propose(WAIVER, payload=payload, summary=summary, by=by, at=at)


def _basis(change: StaffChange) -> Any:
    partners = Partner.objects.filter(pk=change.payload["partner"])
    return list(partners.values_list("name", "code_waiver_contract"))


def _carry_out(change: StaffChange) -> None:
    said = change.payload
    partners = Partner.objects.filter(pk=said["partner"])
    partners.update(code_waiver_contract=said["contract"])


WAIVER = staff_changes.register(
    staff_changes.Kind("CODE_WAIVER", "Signature without a code", _basis, _carry_out)
)
