"""Requests and reports of partners about their customers."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from onboarding.choices import ReviewCause
from onboarding.errors import ErrorCode, Refused
from onboarding.event_types import EventType
from onboarding.models import CustomerCase, Event, Partner
from onboarding.queries.customer_changes import lock_customer_of
from onboarding.services.customers import changes, reviews
from onboarding.services.customers.changes import ChangeTooEarly
from onboarding.services.documents import partner_documents
from onboarding.services.documents.file_store import FileStore
from onboarding.services.events.history import PARTNER

MAX_REPORTS = 20  # about a customer in a day
ABOUT_LEAD = {"documents", "reason"}  # sent with a change, and no part of it


class TooManyReports(Refused):
    """The partner has made MAX_REPORTS reports about the customer in a day."""

    code = ErrorCode.TOO_MANY_REPORTS


def request_change(
    *,
    partner: Partner,
    customer_id: str,
    details: Mapping[str, Any],
    store: FileStore,
    at: datetime,
) -> CustomerCase:
    """Save a partner's request to change a customer, and the documents that prove the change.

    Call it in a `file_transaction`, with its store. Raises: LeadNotFound, ChangeTooEarly,
    ChangeLimitReached, Invalid, TooManyDocuments; ApplicationClosed for documents of a customer
    whose application was denied.
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
    """Open a review of a customer, or add to the open one, with the text of a partner's report.

    Needs a transaction. Returns nothing, so that the partner does not learn of a review.
    Raises: LeadNotFound, ChangeTooEarly, TooManyReports.
    """
    _, customer = lock_customer_of(partner=partner, customer_id=customer_id)
    if customer is None or customer.is_closed:
        raise ChangeTooEarly
    made = Event.objects.filter(
        lead=customer.lead_id,
        type__in=[EventType.CUSTOMER_CASE_OPENED, EventType.CUSTOMER_CASE_CAUSED],
        details__cause=ReviewCause.PARTNER_REPORT.value,
        occurred_at__gt=at - timedelta(days=1),
    )
    if made.count() >= MAX_REPORTS:
        raise TooManyReports(limit=MAX_REPORTS)
    reviews.open_review(customer, ReviewCause.PARTNER_REPORT, text=text, by=PARTNER, at=at)
