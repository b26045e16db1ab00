"""Hidden decisions: keep who approved a case, and why, from users who could judge it again.

For such a user the case page asks first, and lists leave out the steps of staff in the case; the
workload page still names assignees. Users who have judged the approval, or opened the case, see
all.
"""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.views.decorators.http import require_POST

from foundation.backoffice.screens import FactsAdmin
from onboarding.admin.people import lead_name
from onboarding.choices import Role
from onboarding.models import QualityCheck
from onboarding.queries.quality_checks import blind_checks
from onboarding.services.reviews import quality_checks

JUDGE = "onboarding.judge_qualitycheck"


class HiddenDecisions(FactsAdmin):
    """Mixin of the case page: it asks before it shows a decision to a user who could judge it."""

    def get_urls(self):
        page = self.page("read_decision", self.may_read_decision, guard=require_POST)
        return [page, *super().get_urls()]

    def may_read_decision(self, request):
        """Return whether the user may view cases, and judge them a second time."""
        return request.user.has_perm(JUDGE) and self.has_view_permission(request)

    def read_decision(self, request, application):
        """Record that the user opens the case instead of judging it, and show the case."""
        quality_checks.read_decision(application, by=request.user)

    def ask_to_read(self, request, application, check):
        """Return the page that offers two ways: judge the approval first, or open the case."""
        return self.show_page(
            request,
            "onboarding/application/hidden_decision",
            original=application,
            title="Case",
            headline=lead_name(application.lead),
            judge_url=reverse("admin:onboarding_qualitycheck_change", args=[check.pk]),
            read_url=reverse("admin:onboarding_application_read_decision", args=[application.pk]),
        )


def hidden_checks(request: Any) -> QuerySet[QualityCheck]:
    """Return the quality checks whose decisions are hidden from the user."""
    may_judge = request.user.has_perm(JUDGE)
    return blind_checks(request.user) if may_judge else QualityCheck.objects.none()


def hidden_check(request: Any, lead_id: int) -> QualityCheck | None:
    """Return the oldest quality check of a lead whose decision is hidden from the user, or None."""
    return hidden_checks(request).filter(application__lead=lead_id).order_by("pk").first()


def without_hidden(request: Any, events: QuerySet[Any]) -> QuerySet[Any]:
    """Leave out the steps of staff in cases whose decisions are hidden from the user."""
    hidden = hidden_checks(request).values("application")
    return events.exclude(role=Role.REVIEWER, application__in=hidden)
