"""Records of customers: created when an account is opened, and closed with the last account."""

from collections.abc import Collection
from datetime import date, datetime

from django.conf import settings

from banking.days import add_months, month_end
from banking.models import Account
from onboarding.business_hours import NEW_YORK
from onboarding.choices import (
    CaseOutcome,
    CustomerCaseStatus,
    CustomerStatus,
    Risk,
)
from onboarding.event_types import EventType
from onboarding.models import Application, Customer, CustomerCase
from onboarding.services.events import history
from onboarding.services.events.history import Actor


def begin(application: Application, *, at: datetime) -> Customer:
    """Create the record of a customer whose account was opened. The caller locks the lead."""
    account = application.account
    assert account is not None  # noqa: S101 - the caller has opened it
    assert account.business is not None  # noqa: S101 - it is an account of a customer
    risk = Risk(application.risk or Risk.MEDIUM)  # the checks of a sandbox may rate nothing
    return Customer.objects.create(
        lead=application.lead,
        application=application,
        business=account.business,
        risk=risk,
        review_due_on=next_review(risk, since=at.astimezone(NEW_YORK).date()),
        since=at,
    )


def next_review(risk: Risk, *, since: date) -> date:
    """Return the day of the next periodic review: REVIEW_MONTHS of the risk after `since`."""
    month = add_months(since, settings.REVIEW_MONTHS[risk.value])
    return month.replace(day=min(since.day, month_end(month).day))


def mark_leaving(application: Application) -> None:
    """Set the customer of a denied application to LEAVING, as its account is not closed yet."""
    Customer.objects.filter(application=application).update(status=CustomerStatus.LEAVING)


def end_if_closed(
    application: Application, *, closed: Collection[Account] = (), by: Actor, at: datetime
) -> bool:
    """Close an application's customer if no account of the business is open; return whether it did.

    `closed` are accounts that count as closed even if their rows say otherwise. Open cases are
    closed, too. The lead must be locked.
    """
    customer = Customer.objects.filter(application=application).select_related("business").first()
    if customer is None or customer.is_closed:
        return False
    left = Account.objects.open().filter(business=customer.business_id)
    if left.exclude(pk__in=[account.pk for account in closed]).exists():
        return False
    customer.status, customer.closed_at = CustomerStatus.CLOSED, at
    customer.review_due_on = None
    customer.save(update_fields=["status", "closed_at", "review_due_on"])
    CustomerCase.objects.filter(customer=customer).exclude(status=CustomerCaseStatus.CLOSED).update(
        status=CustomerCaseStatus.CLOSED,
        outcome=CaseOutcome.CUSTOMER_CLOSED,
        closed_at=at,
        claimed_by=None,
        claimed_until=None,
    )
    history.record(application, EventType.CUSTOMER_CLOSED, by=by, at=at)
    return True
