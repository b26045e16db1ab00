"""Customer cases: the queue of reviews and requested changes, and the page of each."""

from datetime import datetime

from django.contrib import admin
from django.urls import reverse
from django.utils import timezone

from foundation.backoffice.cells import badge_of, lines, minute, pairs, timestamp_of
from foundation.backoffice.lists import OptionsFilter, date_filter, may_view
from foundation.backoffice.screens import aside, badge, fieldset, link_to, stack
from foundation.backoffice.site import Figure, figures
from foundation.privacy.fields import encrypted_paths
from foundation.times import show_time
from onboarding.admin.clocks import case_clock_badge
from onboarding.admin.customer_case_steps import STEP_PAGES, is_open
from onboarding.admin.hand_over import AssigneeFilter, BulkHandOver
from onboarding.admin.list_search import SearchByKeys
from onboarding.admin.queue import holder_of
from onboarding.admin.requested_changes import evidence_of, name_changes, requested_values
from onboarding.admin.staff_names import name_of
from onboarding.admin.step_pages import StepPages
from onboarding.choices import ReviewCause
from onboarding.models import CustomerCase, Document, Lead, Owner
from onboarding.queries import customers as customer_queries
from onboarding.queries.customers import CaseQueue, in_queue
from onboarding.queries.screening_hits import count_open
from onboarding.queries.staff import REVIEW
from onboarding.services.customers import case_claims


class QueueFilter(OptionsFilter):
    """Filter customer cases by queue, for example the overdue ones or those of the user."""

    title = parameter_name = "queue"
    options = CaseQueue.choices

    def queryset(self, request, queryset):
        if self.value() not in CaseQueue.values:
            return queryset
        queue = CaseQueue(self.value())
        found = in_queue(queue, user=request.user, at=timezone.now())
        return queryset.filter(pk__in=found.values("pk"))


class CaseAssigneeFilter(AssigneeFilter):
    """Filter by the member of staff to whom a customer case is assigned."""

    def assigned_to(self, queryset, pk):
        return queryset.filter(assignee=pk)


@admin.register(CustomerCase)
class CustomerCaseAdmin(BulkHandOver, StepPages, SearchByKeys):
    reassign = staticmethod(case_claims.reassign)
    actions = ["hand_over_selected"]
    list_display = ["label", "causes_text", "risk_badge", "state", "clock", "holder"]
    list_filter = [
        QueueFilter,
        CaseAssigneeFilter,
        "kind",
        "status",
        "customer__risk",
        "customer__lead__partner",
    ]
    list_filter += ["outcome", date_filter("opened_at")]
    list_select_related = ["customer__lead", "customer__business", "claimed_by", "assignee"]
    ordering = ["-status", "due_at", "pk"]  # closed cases come last
    search_path, find_keys = "customer", staticmethod(customer_queries.search_customers)
    search_help_text = "Names, email, phone number, or the id of a case or customer."
    id_fields = ["external_id", "customer__external_id", "customer__lead__external_id"]
    show_facets = admin.ShowFacets.NEVER
    has_history = False
    opened = timestamp_of("opened_at", "opened")
    closed = timestamp_of("closed_at", "closed")
    result = badge_of("outcome")
    step_pages = STEP_PAGES
    fieldsets = [
        fieldset("Case", "kind", "state", "reasons", "values", "clock", "holder", "open_hits"),
        fieldset(
            "Outcome", "result", "risk_after", "denial_reason", "for_partner", "reason", "people"
        ),
        aside("Record", "of_customer", "of_application", "opened", "closed", "external_id"),
    ]

    def get_queryset(self, request):
        related = ["customer__lead__partner", "customer__business", "customer__application"]
        staff = ["claimed_by", "assignee", "decided_by", "confirmed_by", "opened_by"]
        found = super().get_queryset(request).select_related(*related, *staff)
        return found.defer(*encrypted_paths(CustomerCase, found.query.select_related))

    def has_review_permission(self, request):
        return self.has_view_permission(request) and request.user.has_perm(REVIEW)

    def name_case(self, case):
        return self.headline(case)

    def headline(self, case):
        return f"{case.get_kind_display()}: {case.customer.business.legal_name}"

    def headline_badge(self, case):
        return self.clock(case) or self.state(case)

    def tables(self, request, case):
        if case.is_review or not may_view(request, Lead, Owner, Document):
            return []
        shown = [] if case.closed_at else [requested_values(case)]
        return [*shown, evidence_of(case)]

    def more_facts(self, request, case):
        links = [link_to(case.customer, "The customer, with accounts and operations")]
        if request.user.has_perm("onboarding.view_application"):
            links.append(link_to(case.customer.application, "The application and its hits"))
        return {**super().more_facts(request, case), "links": links}

    @admin.display(description="business", ordering="customer__business__legal_name")
    def label(self, case):
        return stack(case.customer.business.legal_name, case.customer.lead.email)

    @admin.display(description="kind", ordering="kind")
    def causes_text(self, case):
        causes = dict.fromkeys(ReviewCause(one["cause"]).label for one in case.causes)
        return stack(case.get_kind_display(), lines(causes))

    @admin.display(description="why")
    def reasons(self, case):
        return pairs(
            (
                f"{ReviewCause(one['cause']).label}, "
                f"{show_time(datetime.fromisoformat(one['at']))}",
                one["text"],
            )
            for one in case.causes
        )

    @admin.display(description="changes")
    def values(self, case):
        return name_changes(case)

    @admin.display(description="risk", ordering="customer__risk")
    def risk_badge(self, case):
        return badge(f"risk_{case.customer.risk}", case.customer.get_risk_display())

    @admin.display(description="status", ordering="status")
    def state(self, case):
        shown = badge(f"customer_case_{case.status}", case.get_status_display())
        return (
            stack(shown, f"{case.get_outcome_display()}?") if case.status == "PROPOSED" else shown
        )

    @admin.display(description="due", ordering="due_at")
    def clock(self, case):
        return case_clock_badge(case, timezone.now()) if is_open(case) else ""

    @admin.display(description="assigned to", ordering="assignee__last_name")
    def holder(self, case):
        return holder_of(case, at=timezone.now())

    @admin.display(description="screening hits that are not cleared")
    def open_hits(self, case):
        return count_open(case.customer.lead) or "None"

    @admin.display(description="risk")
    def risk_after(self, case):
        return case.get_new_risk_display() or case.customer.get_risk_display()

    @admin.display(description="told to the partner", boolean=True)
    def for_partner(self, case):
        return case.is_for_partner

    @admin.display(description="people")
    def people(self, case):
        named = {"Decided by": case.decided_by, "Confirmed by": case.confirmed_by}
        said = [(label, name_of(user)) for label, user in named.items() if user]
        if case.decided_at:
            said.append(("Decided", minute(case.decided_at)))
        return pairs(said)

    @admin.display(description="customer")
    def of_customer(self, case):
        return link_to(case.customer, case.customer.business.legal_name)

    @admin.display(description="application")
    def of_application(self, case):
        return link_to(case.customer.application, f"Attempt {case.customer.application.attempt}")


@figures("Reviews and requested changes of customers")
def open_cases(request):
    """Return a figure for each queue of customer cases; none for users who may not view cases."""
    if not request.user.has_perm("onboarding.view_customercase"):
        return []
    now = timezone.now()
    cases = reverse("admin:onboarding_customercase_changelist")
    return [
        Figure(
            queue.label,
            in_queue(queue, user=request.user, at=now),
            f"{cases}?queue={queue.value}",
        )
        for queue in CaseQueue
    ]
