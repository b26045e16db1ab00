"""Application queue: the list that staff claim cases from."""

from datetime import timedelta

from django.contrib import admin, messages
from django.core.paginator import Page
from django.db.models import Count, Exists, F, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import cached_property
from django.views.decorators.http import require_POST

from banking.errors import StepRefused
from foundation.backoffice.cells import lines
from foundation.backoffice.lists import (
    MAX_ROWS,
    CappedPaginator,
    OptionsFilter,
    date_filter,
    flag_filter,
)
from foundation.backoffice.screens import UndecryptedList, badge, stack
from onboarding.admin.case_answers import HEADLINE, add_answer
from onboarding.admin.case_related import SharedFilter
from onboarding.admin.case_steps import CLAIMED
from onboarding.admin.clocks import brief_span, clock_badge, waiting
from onboarding.admin.hand_over import AssigneeFilter, BulkHandOver
from onboarding.admin.hidden_decisions import hidden_checks
from onboarding.admin.list_search import SearchByKeys
from onboarding.admin.people import lead_name
from onboarding.admin.report import ReportPage
from onboarding.admin.saved_queues import SavedQueues
from onboarding.admin.search_box import SearchBox
from onboarding.admin.staff_names import name_of
from onboarding.admin.statuses import StageFilter, StatusFilter, status_badge
from onboarding.admin.workload import WorkloadPage
from onboarding.choices import ProposalStatus
from onboarding.models import Application, Proposal
from onboarding.queries import reviews as review_queries
from onboarding.queries import search
from onboarding.queries.escalations import open_escalations
from onboarding.queries.reviews import Queue
from onboarding.queries.screening_hits import open_hits
from onboarding.queries.staff import REVIEW
from onboarding.services.reviews import cases

MOST_URGENT_FIRST = [F("due_at").asc(nulls_last=True), "pk"]
MAX_COUNTED = 1000  # per queue
ANSWERED_FIRST = [F("returned_at").asc(nulls_last=True), *MOST_URGENT_FIRST]  # of one's own cases
TRIES = 5  # of claiming a next case, which another user may claim first


class QueueFilter(admin.SimpleListFilter):
    """Filter by queue, chosen by the links above the list."""

    title = parameter_name = "queue"

    def lookups(self, request, model_admin):
        return [(slug(queue), queue.label) for queue in Queue]

    def queryset(self, request, queryset):
        chosen = [queue for queue in Queue if slug(queue) == self.value()]
        if not chosen:
            return queryset
        now = timezone.now()
        return queryset & review_queries.in_queue(chosen[0], user=request.user, at=now)


class WaitingFilter(OptionsFilter):
    """Filter open reviews by the time since they began."""

    title, parameter_name = "time in review", "waiting"
    options = [("1", "More than a day"), ("3", "More than 3 days"), ("7", "More than a week")]

    def queryset(self, request, queryset):
        if self.value() not in {"1", "3", "7"}:
            return queryset
        since = timezone.now() - timedelta(days=int(self.value()))
        return queryset.filter(due_at__isnull=False, review_began_at__lte=since)


class KeyedPaginator(CappedPaginator):
    """Paginator that sorts primary keys only, then reads the rows of one page."""

    @cached_property
    def keys(self):
        """Return the sorted primary keys of at most MAX_ROWS + 1 rows."""
        rows: QuerySet[Application] = self.object_list
        return list(rows.values_list("pk", flat=True)[: MAX_ROWS + 1])

    @cached_property
    def found(self):
        return len(self.keys)

    def page(self, number):
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        return Page(self.rows(self.keys[first : first + self.per_page]), number, self)

    def rows(self, keys):
        """Return the rows with these primary keys."""
        rows: QuerySet[Application] = self.object_list
        return rows.filter(pk__in=keys)


class KeyedList(UndecryptedList):
    """Changelist that reads its rows by the primary keys of its paginator."""

    def get_results(self, request):
        super().get_results(request)
        if not self.multi_page:
            self.result_list = self.paginator.rows(self.paginator.keys)


class QueueList(WorkloadPage, BulkHandOver, SearchByKeys, SearchBox, SavedQueues, ReportPage):
    """List of applications; the subclass adds the change page."""

    list_display = ["label", "partner", "state", "risk_badge", "waiting", "clock", "holder"]
    list_filter = [QueueFilter, AssigneeFilter, StageFilter, StatusFilter, "risk"]
    list_filter += [WaitingFilter, "lead__partner", "lead__business_type"]
    list_filter += [flag_filter("is_current", "newest attempt"), date_filter("created_at", "day")]
    list_filter += [SharedFilter]
    list_select_related = ["lead__partner", "claimed_by", "assignee"]
    show_facets = admin.ShowFacets.NEVER  # each facet would count the whole table
    paginator = KeyedPaginator
    changelist_class = KeyedList
    ordering = MOST_URGENT_FIRST
    id_fields = ["external_id", "lead__external_id"]
    search_path, find_keys = "pk", staticmethod(search.search_applications)
    search_help_text = "Names, email, phone number, or an id of any kind."
    change_list_template = "admin/onboarding/application/change_list.html"
    actions = ["claim_selected", "hand_over_selected"]
    actions_on_top, actions_on_bottom = False, True  # the bar stays in view, below the rows

    def get_urls(self):
        may = self.has_review_permission
        page = self.list_page("next/", "next", self.claim_next, is_allowed=may, guard=require_POST)
        return [page, *super().get_urls()]

    def get_queryset(self, request):
        waiting_for_two = Proposal.objects.filter(status=ProposalStatus.OPEN)
        proposals = Prefetch("proposals", waiting_for_two, to_attr="open_proposals")
        hits = open_hits().filter(lead=OuterRef("lead")).order_by().values("lead")
        counted = Coalesce(Subquery(hits.annotate(count=Count("*")).values("count")), 0)
        asked = open_escalations().filter(application=OuterRef("pk"))
        hidden = hidden_checks(request).filter(application=OuterRef("pk"))
        found = (
            super()
            .get_queryset(request)
            .annotate(open_hits=counted, is_escalated=Exists(asked), is_hidden=Exists(hidden))
        )
        return found.prefetch_related(proposals)

    def get_ordering(self, request):
        is_mine = request.GET.get("queue") == slug(Queue.MINE)
        return ANSWERED_FIRST if is_mine else self.ordering

    def changelist_view(self, request, extra_context=None):
        now = timezone.now()
        counts = review_queries.count_queues(user=request.user, at=now, most=MAX_COUNTED)
        context = {
            "queues": [(slug(queue), queue.label, up_to(n)) for queue, n in counts.items()],
            "queue": request.GET.get("queue", ""),
            "may_review": self.has_review_permission(request),
        }
        return super().changelist_view(request, context | (extra_context or {}))

    def has_review_permission(self, request):
        """Return whether the user may claim cases."""
        return request.user.has_perm(REVIEW)

    @admin.action(description="Claim the selected cases", permissions=["review"])
    def claim_selected(self, request, applications):
        """Claim the cases one by one, with a warning for each refusal."""
        claimed = 0
        for application in applications:
            try:
                cases.claim(application, by=request.user, at=timezone.now())
            except StepRefused as exc:
                self.message_user(
                    request, f"{lead_name(application.lead)}: {exc}", messages.WARNING
                )
            else:
                claimed += 1
        if claimed:
            noun = "case" if claimed == 1 else "cases"
            self.message_user(request, f"You have claimed {claimed} {noun}.", messages.SUCCESS)

    def claim_next(self, request):
        """Claim the most urgent unassigned case, and redirect to its page.

        If no case can be claimed, redirect to the list with a message.
        """
        now = timezone.now()
        free = review_queries.in_queue(Queue.UNASSIGNED, user=request.user, at=now)
        for application in free.order_by(*MOST_URGENT_FIRST)[:TRIES]:
            try:
                cases.claim(application, by=request.user, at=now)
            except StepRefused:
                continue  # another user claimed it first
            add_answer(request, CLAIMED, HEADLINE)
            return redirect("admin:onboarding_application_change", application.pk)
        self.message_user(request, "There are no cases to claim.", messages.INFO)
        return redirect("admin:onboarding_application_changelist")

    @admin.display(description="business")
    def label(self, application):
        return stack(lead_name(application.lead), application.lead.email)

    def partner(self, application):
        return application.lead.partner.name

    @admin.display(description="risk", ordering="risk_points")
    def risk_badge(self, application):
        return risk_badge(application)

    @admin.display(description="waiting (business time)", ordering="status_changed_at")
    def waiting(self, application):
        return waiting(application, timezone.now(), brief_span)

    @admin.display(description="due", ordering="due_at")
    def clock(self, application):
        return clock_badge(application, timezone.now())

    @admin.display(description="status", ordering="status")
    def state(self, application):
        waiting = application.open_proposals
        proposed = f"{waiting[0].get_kind_display()}?" if waiting else ""
        badges = [status_badge(application.status)]
        if waiting:
            badges.append(badge("proposed", proposed, "Proposed"))
        if application.is_escalated:
            badges.append(badge("proposed", "Escalated", "A question waits for its answer"))
        if application.returned_at:
            badges.append(badge("answered", "Answered", "Waits for the assignee since the answer"))
        if application.open_hits:
            badges.append(hit_badge(application))
        return lines(badges)

    @admin.display(description="assigned to", ordering="assignee__last_name")
    def holder(self, application):
        if application.is_hidden:
            return ""
        return holder_of(application, at=timezone.now())


def slug(queue):
    """Return the value of a queue in URLs."""
    return queue.value.lower().replace("_", "-")


def up_to(count):
    """Return a count, or "1,000+" from MAX_COUNTED on."""
    return f"{MAX_COUNTED:,}+" if count >= MAX_COUNTED else count


def risk_badge(application):
    """Return the risk as a badge, or an empty string if not rated."""
    risk = application.risk
    return badge(f"risk_{risk}", application.get_risk_display()) if risk else ""


def hit_badge(application):
    """Return the number of open screening hits as a badge; `new` if a customer's hit is new."""
    count = application.open_hits
    label = f"{count} hit{'' if count == 1 else 's'}"
    if application.new_hit_at:
        return badge("new_hit", f"{label}, new", "A customer's new screening hits to judge")
    return badge("open_hit", label, "Screening hits that block an approval")


def holder_of(case, *, at):
    """Return the name of the assignee of a case, with that of another user who has claimed it."""
    claim = claim_of(case, at=at)
    has_other = claim and case.claimed_by_id != case.assignee_id
    assignee = case.assignee and name_of(case.assignee)
    return stack(assignee or "", f"claimed by {claim['by']}" if has_other else "")


def claim_of(application, *, at):
    """Return the user who claimed a case and the end of the claim; None without a current claim."""
    until = application.claimed_until
    if until is None or until <= at:
        return None
    return {"by": name_of(application.claimed_by), "until": until}
