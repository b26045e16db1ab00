"""Reads of customers and of the cases about them."""

from datetime import datetime

from django.db import models
from django.db.models import Q, QuerySet

from banking.models import Business, User
from foundation.database import trigrams
from onboarding.choices import CustomerCaseStatus
from onboarding.models import Customer, CustomerCase
from onboarding.models.customers import OPEN
from onboarding.queries import search


class CaseQueue(models.TextChoices):
    """The queues of customer cases."""

    OPEN = "open", "Open"
    OVERDUE = "overdue", "Overdue"
    UNASSIGNED = "unassigned", "Unassigned"
    MINE = "mine", "Mine"
    SECOND_PERSON = "second", "Awaiting second person"


def in_queue(queue: CaseQueue, *, user: User, at: datetime) -> QuerySet[CustomerCase]:
    """Return the customer cases in a queue, unordered; `user` is whose MINE the queue is."""
    found = CustomerCase.objects.filter(OPEN)
    if queue is CaseQueue.OVERDUE:
        return found.filter(due_at__lt=at)
    if queue is CaseQueue.UNASSIGNED:
        free = Q(claimed_by=None) | Q(claimed_until__lte=at)
        unassigned = Q(assignee=None) | Q(assignee__is_active=False)
        return found.filter(free, unassigned, status=CustomerCaseStatus.OPEN)
    if queue is CaseQueue.MINE:
        return found.filter(Q(assignee=user) | Q(claimed_by=user, claimed_until__gt=at))
    if queue is CaseQueue.SECOND_PERSON:
        return found.filter(status=CustomerCaseStatus.PROPOSED)
    return found


def search_customers(text: str, *, may_be_similar: bool = True) -> list[int]:
    """Return the keys of customers by words of the business's legal name or email, or by lead.

    Leads are found as by `search_leads`: by names, email, partner's id or phone number.
    """
    with trigrams.tolerance():
        businesses = trigrams.find(Business.objects.all(), search.BUSINESS_WORDS, text.split())
    leads = search.search_leads(text, may_be_similar=may_be_similar and not businesses)
    found = Customer.objects.filter(Q(lead__in=leads) | Q(business__in=businesses))
    return list(found.values_list("pk", flat=True))
