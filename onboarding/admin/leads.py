"""Leads: read-only screens of the applicant and the business."""

from django.contrib import admin
from django.db.models import OuterRef, Q, Subquery

from foundation.backoffice.cells import link_of, pairs, timestamp_of, value_of
from foundation.backoffice.lists import date_filter, may_view
from foundation.backoffice.screens import aside, fieldset, stack
from foundation.privacy.masks import mask
from onboarding.admin.applications import ApplicationInline
from onboarding.admin.audit_exports import AuditExport
from onboarding.admin.documents import DocumentInline
from onboarding.admin.events import timeline
from onboarding.admin.list_search import SearchByKeys
from onboarding.admin.owners import OwnerInline
from onboarding.admin.people import (
    ADDRESS_FIELDS,
    CaseLinked,
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
class LeadAdmin(AuditExport, PersonScreen, CaseLinked, SearchByKeys):
    list_display = ["label", "partner", "status", "business_type", "created"]
    list_filter = [LeadStageFilter, LeadStatusFilter, "partner", "business_type"]
    list_filter += [date_filter("created_at")]
    list_select_related = ["partner"]
    ordering = ["-pk"]  # the newest first, by the index of the keys
    search_path = "pk"
    search_help_text = "Names, email, phone number, customer id or the partner's own id."
    inlines = [OwnerInline, DocumentInline, ApplicationInline]
    created = timestamp_of("created_at")
    of_partner = link_of("partner", "name")
    home_address = value_of("home", "home address", render_address)
    masked_ein = value_of("ein", "EIN", mask)
    business_address_lines = value_of("business_address", "", render_address)
    mailing_address_lines = value_of("mailing_address", "", render_address)
    fieldsets = [
        fieldset(
            "Applicant",
            "name",
            "email",
            "phone_number",
            "birth_date",
            "title",
            "home_address",
            "share",
            "is_control_person",
        ),
        fieldset(
            "Identification",
            "masked_ssn",
            "masked_passport_number",
            "masked_id_gov_number",
            "id_country",
            "id_expiration_date",
            "identity",
        ),
        fieldset(
            "Business",
            *(SHOWN_BY_STAFF.get(one.name, one.name) for one in BUSINESS),
            "business_address_lines",
            "mailing_address_lines",
        ),
        fieldset("Enhanced due diligence", "answers"),
        aside(
            "Record",
            "of_partner",
            "unique_id",
            "external_id",
            "campaign",
            "created_at",
            "updated_at",
        ),
        aside("Metadata", "pairs"),
    ]

    def get_queryset(self, request):
        current = Application.objects.filter(lead=OuterRef("pk"), is_current=True)
        leads = super().get_queryset(request).select_related("partner")
        return leads.annotate(current_status=Subquery(current.values("status")[:1]))

    def headline(self, lead):
        return lead_name(lead)

    def headline_badge(self, lead):
        return self.status(lead)

    def suppliers(self, lead):
        suppliers = super().suppliers(lead)
        return {SHOWN_AS.get(name, name): supplier for name, supplier in suppliers.items()}

    def tables(self, request, lead):
        return [timeline(request, lead, most=FEW)] if may_view(request, Event) else []

    @admin.display(description="business", ordering="business_name")
    def label(self, lead):
        return stack(lead.business_name or "No name yet", lead.email)

    @admin.display(ordering="current_status")
    def status(self, lead):
        return status_badge(lead.current_status) if lead.current_status else ""

    @admin.display(description="answers")
    def answers(self, lead):
        asked = (
            (item.get("question") or item.get("question_id") or "-", item.get("answer") or "-")
            for item in lead.edd_answers
        )
        return pairs(asked)

    @admin.display(description="the partner's own data")
    def pairs(self, lead):
        return pairs(sorted(lead.metadata.items()))
