"""Terms of service and their acceptances."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import StringConstraints

from banking.feed.faults import FaultCode, refused
from banking.feed.plain import PlainKind
from banking.feed.registry import register
from banking.feed.schemas import BusinessId, Data, Id, Reference, Timestamp
from banking.models import TermsAcceptance, TermsOfService

TermsId = Annotated[Id, Reference("terms")]
UserId = Annotated[Id, Reference("users")]


class TermsData(Data):
    """One version of a document that businesses accept; a new text is a new version."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    version: Annotated[str, StringConstraints(min_length=1, max_length=20)]
    url: Annotated[str, StringConstraints(max_length=200)]
    published_at: Timestamp


class AcceptanceData(Data):
    """An acceptance of terms of service by a business."""

    terms: TermsId
    business: BusinessId
    accepted_by: UserId | None = None
    accepted_at: Timestamp


class AcceptanceKind(PlainKind[AcceptanceData]):
    """Acceptances, which cannot be removed."""

    def remove(self, row: Any, *, at: datetime) -> None:
        reason = "An acceptance cannot be removed."
        raise refused(FaultCode.NOT_REMOVABLE, reason=reason)


register(
    PlainKind(
        "terms",
        TermsData,
        TermsOfService,
        shows=["svc_get_client_access_status"],
        fixed=["title", "version"],
        identity=["title", "version"],
    )
)
register(
    AcceptanceKind(
        "terms-acceptances",
        AcceptanceData,
        TermsAcceptance,
        shows=["svc_get_client_access_status"],
        fixed=["terms", "business"],
        identity=["terms_id", "business_id"],
    )
)
