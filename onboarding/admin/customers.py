"""Customers: the list, and the page that links their case, business, accounts, hits and reviews."""

from datetime import timedelta

from django.contrib import admin
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from banking.models import Account, BusinessOwner
from foundation.backoffice.cells import badge_of, day, lines, table_of, timestamp_of, value_of
from foundation.backoffice.lists import OptionsFilter, date_filter, may_view
from foundation.backoffice.screens import aside, badge, fieldset, link_to, stack
from onboarding.admin.case_forms import StepForm, text_field
from onboarding.admin.people import LeadFactsAdmin
from onboarding.admin.requested_changes import RequestChangeForm
from onboarding.admin.step_pages import StepPage, StepPages
from onboarding.models import Application, Customer, CustomerCase, Lead, Owner
from onboarding.models.customers import OPEN
from onboarding.queries import customers as customer_queries
from onboarding.queries.screening_hits import list_hits
from onboarding.queries.staff import REVIEW
from onboarding.services.customers import changes, reviews
from onboarding.services.reviews.cases import actor

SOON = timedelta(days=90)
FEW = 10  # newest cases


class ReviewDueFilter(OptionsFilter):
    """Filter by the day of the next periodic review."""

    title, parameter_name = "review due", "review"
    options = [("overdue", "Overdue"), ("30", "Within 30 days"), ("90", "Within 90 days")]

    def queryset(self, request, queryset):
        today = timezone.now().date()
        if self.value() == "overdue":
            return queryset.filter(review_due_on__lt=today)
        if self.value() in {"30", "90"}:
            until = today + timedelta(days=int(self.value()))
            return queryset.filter(review_due_on__range=(today, until))
        return queryset


class OpenReviewForm(StepForm):
    """Form for a review that staff ask for."""

    text = text_field("Why", help_text="For staff and auditors only.", max_length=500)


def _open_review(customer, said, *, by, at):
    reviews.open_with_reason(customer, text=said["text"], by=actor(by), user=by, at=at)
    return "The review was opened."


def _request_change(customer, said, *, by, at):
    details, text = said["details"], said["text"]
    changes.request_by_staff(customer, details, text=text, by=by, at=at)
    return "The change was requested. It waits for a decision under Customer cases."


def _may_open(customer, **_options):
    return not customer.is_closed


@admin.register(Customer)
class CustomerAdmin(StepPages, LeadFactsAdmin):
    list_display = ["label", "partner", "status_badge", "risk_badge", "next_review", "cases_open"]
    list_filter = ["status", "risk", ReviewDueFilter, "lead__partner"]
    list_filter += [date_filter("since")]
    list_select_related = ["lead__partner", "business"]
    ordering = ["-since", "-pk"]
    search_help_text = "Names, email, phone number, or an id of any kind."
    search_path, find_keys = "pk", staticmethod(customer_queries.search_customers)
    id_fields = ["external_id", "lead__external_id", "business__external_id"]
    id_fields += ["application__external_id"]
    show_facets = admin.ShowFacets.NEVER
    has_history = False
    status_badge = badge_of("status")
    opened = timestamp_of("since", "customer since")
    restricted = timestamp_of("restricted_at", "restricted")
    closed = timestamp_of("closed_at", "closed")
    next_review = value_of("review_due_on", "next review", day)
    step_pages = {
        "open_review": StepPage(
            "Open a review", REVIEW, _open_review, _may_open, OpenReviewForm, tone="first"
        ),
        "request_change": StepPage(
            "Request a change",
            REVIEW,
            _request_change,
            _may_open,
            RequestChangeForm,
            "Fields that you leave empty stay as they are. The change is decided in a case.",
        ),
    }
    fieldsets = [
        fieldset(
            "Customer", "status_badge", "risk_badge", "rated_now", "next_review", "restricted"
        ),
        aside("Record", "of_case", "of_lead", "of_business", "opened", "closed", "external_id"),
    ]

    def get_queryset(self, request):
        waiting = CustomerCase.objects.filter(OPEN, customer=OuterRef("pk")).order_by()
        counts = waiting.values("customer").annotate(count=Count("*")).values("count")
        counted = Coalesce(Subquery(counts), 0)
        found = super().get_queryset(request).select_related("business", "application")
        return found.annotate(open_cases=counted)

    def headline(self, customer):
        return customer.business.legal_name

    def headline_badge(self, customer):
        return badge(f"customer_{customer.status}", customer.get_status_display())

    @admin.display(description="business", ordering="business__legal_name")
    def label(self, customer):
        return stack(customer.business.legal_name, customer.lead.email)

    @admin.display(description="partner", ordering="lead__partner__name")
    def partner(self, customer):
        return customer.lead.partner.name

    @admin.display(description="risk", ordering="risk")
    def risk_badge(self, customer):
        return badge(f"risk_{customer.risk}", customer.get_risk_display())

    @admin.display(description="rated by the newest checks")
    def rated_now(self, customer):
        application = customer.application
        if not application.risk:
            return "Not rated"
        points = f"{application.get_risk_display()}, {application.risk_points} points"
        return lines([points, *(one["reason"] for one in application.risk_reasons)])

    @admin.display(description="open cases", ordering="open_cases")
    def cases_open(self, customer):
        return customer.open_cases or ""

    @admin.display(description="case")
    def of_case(self, customer):
        return link_to(customer.application, f"Attempt {customer.application.attempt}")

    @admin.display(description="business")
    def of_business(self, customer):
        return link_to(customer.business, customer.business.legal_name)

    def tables(self, request, customer):
        made = []
        if may_view(request, CustomerCase):
            made.append(_cases(customer))
        if may_view(request, Lead, Owner, BusinessOwner):
            made.append(_owners(customer))
        if may_view(request, Account):
            made.append(_accounts(customer, request.user))
        if may_view(request, Application, Lead):
            made.append(_hits(customer))
        return made


def _cases(customer):
    rows = customer.cases.select_related("claimed_by").order_by("-pk")[:FEW]
    cells = {
        "Case": lambda row: link_to(row, row.get_kind_display()),
        "Status": lambda row: badge(row.status, row.get_status_display()),
        "Due": lambda row: day(row.due_at),
        "Outcome": lambda row: row.get_outcome_display() or "",
    }
    return table_of("Reviews and requested changes", rows, cells, nothing="None yet.")


def _owners(customer):
    people = {
        owner.email: owner
        for owner in Owner.objects.filter(lead=customer.lead_id).defer(
            "ssn", "passport_number", "id_gov_number"
        )
    }
    cells = {
        "Owner": lambda row: stack(f"{row.first_name} {row.last_name}", row.email),
        "Share": lambda row: "" if row.ownership_percent is None else f"{row.ownership_percent}%",
        "Signs in": lambda row: "Yes" if row.user_id else "No",
        "Identity document until": lambda row: day(
            _expiration(people.get(row.email), customer, row)
        ),
    }
    rows = BusinessOwner.objects.filter(business=customer.business_id).order_by("pk")
    return table_of("Owners", rows, cells)


def _expiration(owner, customer, row):
    if owner is not None:
        return owner.id_expiration_date
    return customer.lead.id_expiration_date if row.email == customer.lead.email else None


def _accounts(customer, user):
    """Return the table of accounts, with links to propose bank operations if the user may do so."""
    may_propose = user.has_perm("banking.add_bankoperation")
    cells = {
        "Account": lambda row: link_to(row, f"{row.name} {row.masked_number}"),
        "State": lambda row: badge(row.status, row.get_status_display()),
        "Frozen": lambda row: badge("frozen", "Frozen") if row.is_frozen else "",
        "Propose": lambda row: _operations(row) if may_propose and row.is_open else "",
    }
    rows = Account.objects.filter(business=customer.business_id).order_by("pk")
    return table_of("Accounts", rows, cells)


def _operations(account):
    names = {"unfreeze": "Unfreeze"} if account.is_frozen else {"freeze": "Freeze"}
    names |= {} if account.is_frozen else {"close": "Close with payout"}
    return lines(
        format_html(
            '<a href="{}">{}</a>',
            reverse(f"admin:banking_account_{name}", args=[account.pk]),
            label,
        )
        for name, label in names.items()
    )


def _hits(customer):
    case = reverse("admin:onboarding_application_change", args=[customer.application_id])
    cells = {
        "Name on the list": lambda row: row.entry_name,
        "Verdict": lambda row: badge(f"hit_{row.status}", row.get_status_display()),
        "Score": lambda row: f"{row.score:.0f}",
    }
    more = format_html('<a href="{}#hits">Judge them in the case</a>', case)
    return table_of("Screening hits", list_hits(customer.lead), cells, nothing="None.", more=more)
