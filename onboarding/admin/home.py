"""Home page: queues, review times, urgent cases, and leads per status group."""

from collections import Counter
from datetime import timedelta

from django.db.models import Count
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from foundation.backoffice.cells import table_of
from foundation.backoffice.lists import may_view
from foundation.backoffice.screens import link_to
from foundation.backoffice.site import Figure, figures, section
from foundation.privacy.fields import encrypted_names
from onboarding.admin.charts import daily_chart
from onboarding.admin.clocks import clock_badge, span, waiting
from onboarding.admin.people import lead_name
from onboarding.admin.queue import (
    ANSWERED_FIRST,
    MAX_COUNTED,
    MOST_URGENT_FIRST,
    risk_badge,
    slug,
    up_to,
)
from onboarding.admin.saved_queues import address, list_saved
from onboarding.choices import GROUPS, StatusGroup
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Lead
from onboarding.queries import reviews
from onboarding.queries.reviews import Queue
from onboarding.queries.staff import REVIEW

DAYS = 14
MAX_CASES = 8
PROMISES = {
    "first touch": "business hours; target: within 2",
    "decision": "business hours; target: within 8",
}


@section
def review(request):
    """Render queues, review times and cases; empty for users who may not view applications."""
    if not may_view(request, Application):
        return ""
    now = timezone.now()
    due = Application.objects.filter(is_current=True, due_at__isnull=False)
    mine = reviews.in_queue(Queue.MINE, user=request.user, at=now)
    context = {
        "queues": _queues(request.user, now),
        "times": _times(now),
        "chart": daily_chart(reviews.daily_flow(days=DAYS, at=now), f"Last {DAYS} days"),
        "urgent": _cases("Most urgent", due, now, nothing="Nothing is due."),
        "mine": _cases("Your cases", mine, now, ANSWERED_FIRST, nothing="No cases."),
        "saved_queues": list_saved(request.user),
        "may_review": request.user.has_perm(REVIEW),
    }
    return render_to_string("admin/onboarding/review.html", context, request)


@figures("Leads, by who must act next")
def leads_per_group(request):
    """Return one figure per status group; none for users who may not view leads."""
    if not request.user.has_perm("onboarding.view_lead"):
        return []
    current = Application.objects.filter(is_current=True).values_list("status")
    counts: Counter[StatusGroup] = Counter()
    for status, count in current.annotate(count=Count("*")):
        counts[GROUPS[Status(status)]] += count
    leads = reverse("admin:onboarding_lead_changelist")
    return [
        Figure(group.label, counts[group], f"{leads}?stage={group.value}") for group in StatusGroup
    ]


def _queues(user, at):
    """Return pairs: a figure for each queue, and whether that is the overdue queue."""
    counts = reviews.count_queues(user=user, at=at, most=MAX_COUNTED)
    return [
        (Figure(queue.label, up_to(n), f"{address()}?queue={slug(queue)}"), queue is Queue.OVERDUE)
        for queue, n in counts.items()
    ]


def _times(at):
    """Return label, median and target of the two review times, as text.

    They are the times of the last DAYS days until the first touch and until the decision.
    """
    medians = reviews.median_times(since=at - timedelta(days=DAYS), at=at)
    named = {"first touch": medians.first_touch, "decision": medians.decision}
    return [
        (
            f"Median {name}",
            "-" if passed is None else span(passed),
            PROMISES[name],
        )
        for name, passed in named.items()
    ]


def _cases(title, found, at, order=MOST_URGENT_FIRST, *, nothing):
    encrypted = [f"lead__{name}" for name in encrypted_names(Lead)]
    rows = found.select_related("lead").defer(*encrypted).order_by(*order)[:MAX_CASES]
    cells = {
        "Business": lambda row: link_to(row, lead_name(row.lead)),
        "Risk": risk_badge,
        "Waiting": lambda row: waiting(row, at),
        "Due": lambda row: clock_badge(row, at),
    }
    return table_of(title, rows, cells, nothing=nothing)
