"""Reads of customers and of the cases about them."""

from datetime import datetime

from django.db import models
from django.db.models import Q, QuerySet

from banking.models import Business, User
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
    """Return the customer cases in a queue, unordered."""
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


def search_customers(text: str) -> list[int]:
    """Return the keys of customers by `search_leads` or by the legal name of the business.

    At most MAX_FOUND of each.
    """
    words = (Q(legal_name__icontains=word) for word in text.split())
    named = Business.objects.filter(*words).order_by("-pk").values_list("pk", flat=True)
    businesses = list(named[: search.MAX_FOUND])
    found = Q(lead__in=search.search_leads(text)) | Q(business__in=businesses)
    return list(Customer.objects.filter(found).values_list("pk", flat=True))
