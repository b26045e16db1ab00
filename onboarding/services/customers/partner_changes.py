"""What partners ask and report about their customers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from onboarding.choices import ReviewCause
from onboarding.models import CustomerCase, Partner
from onboarding.queries.customer_changes import lock_customer_of
from onboarding.services.customers import changes, reviews
from onboarding.services.customers.changes import ChangeTooEarly
from onboarding.services.documents import partner_documents
from onboarding.services.documents.file_store import FileStore
from onboarding.services.events.history import PARTNER

ABOUT_LEAD = {"documents", "reason"}  # sent with a change, and no part of it


def request_change(
    *,
    partner: Partner,
    customer_id: str,
    details: Mapping[str, Any],
    store: FileStore,
    at: datetime,
) -> CustomerCase:
    """Ask for a change of a customer, with documents that show it, in `file_transaction`.

    Raises: LeadNotFound, ChangeTooEarly, ChangeLimitReached, Invalid, TooManyDocuments.
    """
    _, customer = lock_customer_of(partner=partner, customer_id=customer_id)
    if customer is None or customer.is_closed:
        raise ChangeTooEarly
    documents: list[str] = []
    if incoming := details.get("documents"):
        uploaded, attached = partner_documents.upload_documents(
            partner=partner, customer_id=customer_id, incoming=incoming, store=store, at=at
        )
        documents = [str(one.document.external_id) for one in attached]
        customer.application, customer.lead = uploaded, uploaded.lead
    values = {name: value for name, value in details.items() if name not in ABOUT_LEAD}
    return changes.request_change(
        customer,
        values,
        text=details.get("reason") or "",
        document_ids=documents,
        by=PARTNER,
        at=at,
    )


def report(*, partner: Partner, customer_id: str, text: str, at: datetime) -> None:
    """Open a review of a customer with what its partner reports, in the caller's transaction.

    Raises: LeadNotFound, ChangeTooEarly.
    """
    _, customer = lock_customer_of(partner=partner, customer_id=customer_id)
    if customer is None or customer.is_closed:
        raise ChangeTooEarly
    reviews.open_review(customer, ReviewCause.PARTNER_REPORT, text=text, by=PARTNER, at=at)
