"""Events for webhooks of type PAYMENT, about payments, cards and accounts of a customer."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Model, prefetch_related_objects
from django.dispatch import receiver

from banking.choices import AccountStatus, BillPaymentStatus, CardStatus
from banking.models import Account, BillPayment, Card
from banking.signals import status_began
from onboarding.event_types import EventType
from onboarding.models import Application
from onboarding.services.customers import records
from onboarding.services.events.history import BANK, History

TYPES: dict[tuple[type[Model], str], EventType] = {
    (BillPayment, BillPaymentStatus.SETTLED): EventType.PAYMENT_SETTLED,
    (BillPayment, BillPaymentStatus.FAILED): EventType.PAYMENT_RETURNED,
    (Card, CardStatus.FROZEN): EventType.CARD_FROZEN,
    (Account, AccountStatus.CLOSED): EventType.ACCOUNT_CLOSED,
}


@receiver(status_began)
def record_status(sender: type[Model], *, rows: Sequence[Any], at: datetime, **kwargs: Any) -> None:
    """Record an event about each row that began a status, in the history of its business's lead.

    `rows` are settled or failed payments, frozen cards or closed accounts. Locks the leads. The
    event belongs to the newest application with an account of the business. Closing the last open
    account also closes the customer. Rows of erased leads, or without a lead, are skipped.
    """
    event_type = TYPES[sender, rows[0].status]
    by_business: dict[int, list[Any]] = {}
    if sender is BillPayment:
        prefetch_related_objects(rows, "bill")
    for row in rows:
        by_business.setdefault(_business_of(row), []).append(row)
    for business, application in _lock_applications(by_business):
        history = History(application.lead, by=BANK, at=at)
        for row in by_business[business]:
            history.add(event_type, application, **_details(row))
        history.save_with_lead()
        if sender is Account:
            records.end_if_closed(application, closed=by_business[business], by=BANK, at=at)


def _lock_applications(businesses: Collection[int]) -> list[tuple[int, Application]]:
    """Lock the leads of businesses; return the newest application of each with its business."""
    found = Application.objects.filter(account__business__in=businesses, lead__erased_at=None)
    locked = found.select_related("lead").select_for_update(of=("lead", "self"))
    ordered = locked.order_by("lead", "attempt").annotate(business=F("account__business"))
    return [(one.business, one) for one in {one.lead_id: one for one in ordered}.values()]


def _business_of(row: Any) -> int:
    return row.bill.business_id if isinstance(row, BillPayment) else row.business_id


def _details(row: Any) -> dict[str, str]:
    """Return the event's details, which identify the payment, the card or the account.

    A payment has its id and method, a card its id, an account its masked number.
    """
    if isinstance(row, BillPayment):
        return {"payment_id": str(row.external_id), "method": row.method}
    if isinstance(row, Card):
        return {"card_id": str(row.external_id)}
    return {"account_number_masked": row.masked_number}
