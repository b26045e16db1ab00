"""The home page: how many leads stand where."""

from collections import Counter

from django.db.models import Count
from django.urls import reverse

from banking.back_office import Figure, figures
from onboarding.choices import GROUPS, StatusGroup
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application


@figures("Leads, by whose turn it is")
def leads_per_group(request):
    """Return one figure per status group, for those who may view leads."""
    if not request.user.has_perm("onboarding.view_lead"):
        return []
    current = Application.objects.filter(is_current=True).values_list("status")
    counts: Counter[StatusGroup] = Counter()
    for status, count in current.annotate(count=Count("pk")):
        counts[GROUPS[Status(status)]] += count
    leads = reverse("admin:onboarding_lead_changelist")
    return [
        Figure(group.label, counts[group], f"{leads}?stage={group.value}") for group in StatusGroup
    ]
