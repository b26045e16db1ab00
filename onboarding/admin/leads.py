"""Leads: read-only screens of the applicant and the business."""

from django.contrib import admin
from django.db.models import OuterRef, Q, Subquery
from django.utils.html import format_html_join

from foundation.backoffice.lists import may_view
from foundation.backoffice.screens import link_to, stack
from foundation.privacy.masks import mask
from onboarding.admin.applications import ApplicationInline
from onboarding.admin.audit_exports import AuditExport
from onboarding.admin.documents import DocumentInline
from onboarding.admin.events import timeline
from onboarding.admin.numbers import NumberlessSearch
from onboarding.admin.owners import OwnerInline
from onboarding.admin.people import (
    ADDRESS_FIELDS,
    CaseLinked,
    DeferredNumbersList,
    PersonScreen,
    lead_name,
    render_address,
)
from onboarding.admin.people import (
    SHOWN_AS as SHOWN_BY_STAFF,
)
from onboarding.admin.statuses import StageFilter, StatusFilter, status_badge
from onboarding.lead_fields import BUSINESS
from onboarding.models import Application, Event, Lead

FEW = 5  # events; the case page lists more
SHOWN_AS = {
    **dict.fromkeys(ADDRESS_FIELDS, "home_address"),
    "business_address": "business_address_lines",
    "mailing_address": "mailing_address_lines",
    "edd_answers": "answers",
    "metadata": "pairs",
}


class OfTheCurrentApplication:
    """Mixin that applies an application filter to the current application of leads."""

    def among(self, statuses):
        return Q(applications__is_current=True, applications__status__in=statuses)


class LeadStatusFilter(OfTheCurrentApplication, StatusFilter):
    pass


class LeadStageFilter(OfTheCurrentApplication, StageFilter):
    pass


@admin.register(Lead)
class LeadAdmin(AuditExport, NumberlessSearch, PersonScreen, CaseLinked):
    list_display = ["label", "partner", "status", "business_type", "created_at"]
    list_filter = [LeadStageFilter, LeadStatusFilter, "partner", "business_type"]
    list_filter += [("created_at", admin.DateFieldListFilter)]
    list_select_related = ["partner"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["email", "business_name", "unique_id"]
    search_help_text = "Email, business name, customer id or the partner's own id."
    inlines = [OwnerInline, DocumentInline, ApplicationInline]
    fieldsets = [
        (
            "Applicant",
            {
                "fields": [
                    "name",
                    "email",
                    "phone_number",
                    "birth_date",
                    "title",
                    "home_address",
                    "share",
                    "is_control_person",
                ]
            },
        ),
        (
            "Identification",
            {
                "fields": [
                    "masked_ssn",
                    "masked_passport_number",
                    "masked_id_gov_number",
                    "id_country",
                    "id_expiration_date",
                    "identity",
                ]
            },
        ),
        (
            "Business",
            {
                "fields": [
                    *(SHOWN_BY_STAFF.get(one.name, one.name) for one in BUSINESS),
                    "business_address_lines",
                    "mailing_address_lines",
                ]
            },
        ),
        ("Enhanced due diligence", {"fields": ["answers"]}),
        (
            "Record",
            {
                "classes": ["aside"],
                "fields": [
                    "of_partner",
                    "unique_id",
                    "external_id",
                    "campaign",
                    "created_at",
                    "updated_at",
                ],
            },
        ),
        ("Metadata", {"classes": ["aside"], "fields": ["pairs"]}),
    ]

    def get_queryset(self, request):
        current = Application.objects.filter(lead=OuterRef("pk"), is_current=True)
        leads = super().get_queryset(request).select_related("partner")
        return leads.annotate(current_status=Subquery(current.values("status")[:1]))

    def get_changelist(self, request, **kwargs):
        return DeferredNumbersList

    def headline(self, lead):
        return lead_name(lead)

    def headline_badge(self, lead):
        return self.status(lead)

    def suppliers(self, lead):
        suppliers = super().suppliers(lead)
        return {SHOWN_AS.get(name, name): supplier for name, supplier in suppliers.items()}

    def tables(self, request, lead):
        return [timeline(lead, most=FEW)] if may_view(request, Event) else []

    @admin.display(description="business", ordering="business_name")
    def label(self, lead):
        return stack(lead.business_name or "No name yet", lead.email)

    @admin.display(ordering="current_status")
    def status(self, lead):
        return status_badge(lead.current_status) if lead.current_status else ""

    @admin.display(description="partner")
    def of_partner(self, lead):
        return link_to(lead.partner, lead.partner.name)

    @admin.display(description="EIN")
    def masked_ein(self, lead):
        return mask(lead.ein)

    @admin.display(description="home address")
    def home_address(self, lead):
        return render_address({name: getattr(lead, name) for name in ADDRESS_FIELDS})

    @admin.display(description="business address")
    def business_address_lines(self, lead):
        return render_address(lead.business_address)

    @admin.display(description="mailing address")
    def mailing_address_lines(self, lead):
        return render_address(lead.mailing_address)

    @admin.display(description="answers")
    def answers(self, lead):
        asked = (
            (item.get("question") or item.get("question_id") or "-", item.get("answer") or "-")
            for item in lead.edd_answers
        )
        return _pairs(asked)

    @admin.display(description="the partner's own data")
    def pairs(self, lead):
        return _pairs(sorted(lead.metadata.items()))


def _pairs(pairs):
    return format_html_join(
        "", '<span class="pair"><strong>{}</strong><span>{}</span></span>', pairs
    )
