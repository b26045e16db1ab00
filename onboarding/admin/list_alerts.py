"""Alerts on the home page of lists of sanctions or exposed persons that are too old."""

from django.template.loader import render_to_string
from django.utils import timezone

from foundation.backoffice.lists import may_view
from foundation.backoffice.site import section
from onboarding.models import SanctionsList
from onboarding.queries.lists import list_overdue


@section
def overdue_lists(request):
    """Render an alert for each overdue list; empty if none is, or the user may not view lists."""
    if not may_view(request, SanctionsList):
        return ""
    overdue = list_overdue(at=timezone.now())
    context = {"overdue": overdue}
    return render_to_string("admin/onboarding/overdue_lists.html", context) if overdue else ""
