"""Partner verifications: evidence by partners on whose own checks the bank relies."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from foundation import external_ids
from onboarding.choices import VerificationKind, VerificationMethod
from onboarding.errors import ErrorCode, Fault, Invalid, Refused
from onboarding.event_types import EventType
from onboarding.models import Application, Document, Partner, PartnerVerification
from onboarding.models.documents import HAS_FILE
from onboarding.queries import fixed_rows
from onboarding.queries.leads import lock_current_application
from onboarding.services.applications import attempts
from onboarding.services.events import history
from onboarding.services.events.history import PARTNER

MAX_PER_APPLICATION = 100


class RelianceNotAgreed(Refused):
    """No contract says that the bank relies on the partner's verifications."""

    code = ErrorCode.RELIANCE_NOT_AGREED


class TooManyVerifications(Refused):
    """The application has as many verifications as it can have."""

    code = ErrorCode.TOO_MANY_VERIFICATIONS


def hand_in(
    *, partner: Partner, customer_id: str, details: dict[str, Any], at: datetime
) -> PartnerVerification:
    """Record a verification by the partner, which the next run of the checks reads.

    `details` has kind, ubo_id, method, verified_on, reference and document_ids. Call it in a
    transaction. Locks the lead and its application.
    Raises: LeadNotFound, ApplicationClosed, RelianceNotAgreed, Invalid, TooManyVerifications.
    """
    application = lock_current_application(partner=partner, customer_id=customer_id)
    attempts.require_open(application)
    contract = application.lead.partner.reliance_contract
    if not contract:
        raise RelianceNotAgreed
    if application.partner_verifications.count() >= MAX_PER_APPLICATION:
        raise TooManyVerifications(limit=MAX_PER_APPLICATION)
    kind = VerificationKind(details["kind"])
    made = PartnerVerification.objects.create(
        application=application,
        kind=kind,
        ubo_id=_find_owner(application, kind, details.get("ubo_id")),
        method=VerificationMethod(details["method"]),
        verified_on=_require_past(details["verified_on"], at=at),
        reference=details["reference"],
        document_ids=_find_documents(application, details["document_ids"]),
        contract=contract,
        at=at,
    )
    said = {"verification_id": str(made.external_id), "kind": made.kind, "method": made.method}
    fixed = fixed_rows.fix(made)
    history.record(application, EventType.PARTNER_VERIFIED, by=PARTNER, at=at, **said, **fixed)
    return made


def _find_owner(
    application: Application, kind: VerificationKind, ubo_id: str | None
) -> UUID | None:
    """Return the id of an owner of the lead; None for the applicant or the business."""
    if not ubo_id:
        return None
    wanted = external_ids.parse(ubo_id)
    is_owner = application.lead.owners.filter(external_id=wanted).exists()
    if kind is not VerificationKind.IDENTITY or not is_owner:
        raise Invalid([Fault(ErrorCode.OWNER_NOT_FOUND, ("uboId",))])
    return wanted


def _require_past(day: date, *, at: datetime) -> date:
    if day > at.date():
        raise Invalid([Fault(ErrorCode.INVALID_DATE, ("date",))])
    return day


def _find_documents(application: Application, ids: Sequence[str]) -> list[str]:
    """Return the ids of documents of the lead that have a file, each once.

    Raises: Invalid for an empty list, and for each other id at its place in `ids`.
    """
    wanted = [external_ids.parse(one) for one in ids]
    if not wanted:
        raise Invalid([Fault(ErrorCode.DOCUMENT_LIST_EMPTY, ("documentIds",))])
    rows = Document.objects.filter(HAS_FILE, lead=application.lead, external_id__in=wanted)
    found = set(rows.values_list("external_id", flat=True))
    faults = [
        Fault(ErrorCode.DOCUMENT_NOT_FOUND, ("documentIds", place))
        for place, one in enumerate(wanted)
        if one not in found
    ]
    if faults:
        raise Invalid(faults)
    return [str(one) for one in dict.fromkeys(wanted)]
