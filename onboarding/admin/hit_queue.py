"""The list of all screening hits, and the page on which hits of the bank's records are judged."""

from functools import partial

from django.contrib import admin, messages
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from foundation.backoffice.cells import lines, timestamp_of
from foundation.backoffice.lists import CappedPaginator, OptionsFilter
from foundation.backoffice.screens import FactsAdmin, aside, badge, fieldset, link_to, stack
from foundation.backoffice.site import Figure, figures
from onboarding.admin.case_answers import add_answer, split_messages
from onboarding.admin.case_steps import NOT_TAKEN, REFUSALS
from onboarding.admin.clocks import case_clock_badge
from onboarding.admin.hits import HIT_STEPS, card_of, row_of
from onboarding.choices import HitStatus, PartyKind
from onboarding.models import Application, ScreeningHit
from onboarding.models.screening_hits import OPEN_HIT
from onboarding.queries import hit_facts, screening_hits
from onboarding.queries.parties import RECORDS, find_record
from onboarding.services.reviews.hit_scopes import RecordHits

MAX_COUNTED = 1000
GONE = "A record that was removed"


class OpenFilter(OptionsFilter):
    """Filter hits by the next step of staff; without a choice, open hits are listed."""

    title, parameter_name = "state", "state"
    options = [
        ("open", "Not cleared"),
        ("unreviewed", "Unreviewed"),
        ("records", "New in the bank's records"),
        ("overdue", "Overdue"),
        ("all", "All"),
    ]

    def choices(self, changelist):
        """Return the options. Django's option for no choice is left out: it means the first."""
        chosen = self.value() or "open"
        for value, label in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: value})
            yield {"selected": chosen == value, "query_string": query, "display": label}

    def queryset(self, request, queryset):
        if self.value() == "all":
            return queryset
        hits = queryset.filter(OPEN_HIT)
        if self.value() == "records":
            return hits.exclude(due_at=None)
        if self.value() == "overdue":
            return hits.filter(due_at__lt=timezone.now())
        return hits.filter(status=HitStatus.UNREVIEWED) if self.value() == "unreviewed" else hits


@admin.register(ScreeningHit)
class ScreeningHitAdmin(FactsAdmin):
    """The list of all screening hits, with a page for hits of the bank's own records.

    Hits of a lead are judged on the page of its case.
    """

    change_form_template = "admin/onboarding/screeninghit/change_form.html"
    list_display = [
        "matched",
        "of_list",
        "party_kind",
        "of_customer",
        "similar",
        "state",
        "clock",
        "found",
    ]
    list_filter = [OpenFilter, "list_code", "party_kind", "status"]
    list_select_related = ["lead", "business"]
    show_facets = admin.ShowFacets.NEVER
    paginator = CappedPaginator
    ordering = ["-score", "pk"]
    search_fields = ["matched", "entry_name", "=entry_number"]
    search_help_text = "A listed name, the number of an entry, or the id of a hit."
    has_history = False
    fieldsets = [
        fieldset("Party", "party_kind", "party", "of_customer", "clock"),
        aside("Record", "of_list", "entry_number", "found", "external_id"),
    ]
    found = timestamp_of("found_at", "found")

    def get_urls(self):
        steps = [
            self.page(
                name,
                partial(self.may_take, step),
                method=partial(self.take_step, name, step),
                guard=require_POST,
            )
            for name, step in HIT_STEPS.items()
        ]
        return [*steps, *super().get_urls()]

    def get_queryset(self, request):
        return super().get_queryset(request).filter(is_current=True)

    def may_take(self, step, request):
        """Return whether the user of the request has the permission that a step requires."""
        return request.user.has_perm(f"onboarding.{step.permission}")

    def change_view(self, request, object_id, form_url="", extra_context=None):
        """Show all hits of a party of the bank's records; redirect a hit of a lead to its case."""
        hit = self.get_object(request, object_id)
        if hit is not None and hit.lead_id and self.has_view_permission(request, hit):
            current = Application.objects.filter(lead=hit.lead_id, is_current=True)
            application = get_object_or_404(current)
            case = reverse("admin:onboarding_application_change", args=[application.pk])
            return redirect(f"{case}#hit-{hit.external_id}")
        return super().change_view(request, object_id, form_url, extra_context)

    def take_step(self, name, step, request, hit):
        """Take a step with hits of a party of the bank's records, and redirect to the hit's page.

        With a hit of a lead nothing is done: the redirect leads on to its case.
        """
        if hit.lead_id:
            return self.to_page("change", hit)
        form = step.form(request.POST, application=None, name=name)
        if not form.is_valid():
            add_answer(request, NOT_TAKEN, "hits", messages.WARNING)
            return self.to_page("change", hit)
        scope = RecordHits(PartyKind(hit.party_kind), hit.party_row)
        try:
            said = step.take(scope, form.cleaned_data, by=request.user, at=timezone.now())
        except REFUSALS as exc:
            add_answer(request, str(exc), "hits", messages.WARNING)
        else:
            add_answer(request, said or step.done, "hits")
        return self.to_page("change", hit)

    def more_facts(self, request, hit):
        party = find_record(PartyKind(hit.party_kind), hit.party_row)
        hits = screening_hits.list_record_hits(hit.party_kind, hit.party_row)
        clearings = screening_hits.find_open_clearings(hits)
        side = hit_facts.side_of_record(party) if party else None
        rows = [
            row_of(one, self.party(one), side, clearings.get(one.pk), request.user) for one in hits
        ]
        may = {name: self.may_take(step, request) for name, step in HIT_STEPS.items()}
        urls = {
            name: reverse(f"admin:onboarding_screeninghit_{name}", args=[hit.pk])
            for name in HIT_STEPS
        }
        return {
            "screening": card_of(rows, may=may, urls=urls),
            "step_answers": split_messages(request),
        }

    def headline(self, hit):
        return self.party(hit)

    @admin.display(description="name")
    def party(self, hit):
        found = find_record(PartyKind(hit.party_kind), hit.party_row) if hit.party_row else None
        return found.name if found else GONE

    @admin.display(description="list", ordering="list_code")
    def of_list(self, hit):
        return stack(hit.get_list_code_display(), hit.programs)

    @admin.display(description="customer")
    def of_customer(self, hit):
        """Return the business or the lead that the party belongs to."""
        if hit.lead_id:
            return link_to(hit.lead, hit.lead.business_name or hit.lead.email)
        return link_to(hit.business, hit.business.legal_name) if hit.business else ""

    @admin.display(description="due", ordering="due_at")
    def clock(self, hit):
        return case_clock_badge(hit, timezone.now(), "Hit") if hit.due_at else ""

    @admin.display(description="similar", ordering="score")
    def similar(self, hit):
        return f"{hit.score:.0f}%"

    @admin.display(description="state", ordering="status")
    def state(self, hit):
        shown = badge(f"hit_{hit.status}", hit.get_status_display())
        return lines([shown, hit.note]) if hit.note else shown


@figures("Screening")
def record_hits(request):
    """Return figures of the hits in the bank's records: not cleared, new and overdue.

    They are for users who may view hits.
    """
    if not request.user.has_perm("onboarding.view_screeninghit"):
        return []
    found = ScreeningHit.objects.filter(OPEN_HIT, party_kind__in=list(RECORDS)).order_by()
    alerts = screening_hits.alerts_of_records().order_by()
    url = reverse("admin:onboarding_screeninghit_changelist")
    shown = [
        ("Hits of customers' records", found, url),
        ("New in the bank's records", alerts, f"{url}?state=records"),
        ("Overdue", alerts.filter(due_at__lt=timezone.now()), f"{url}?state=overdue"),
    ]
    return [
        Figure(label, rows[: MAX_COUNTED + 1], link, most=MAX_COUNTED)
        for label, rows, link in shown
    ]
