"""Applications: each attempt of a lead, and where it stands."""

from django.contrib import admin
from django.db.models import Q
from django.utils.formats import date_format

from banking.admin.records import may_view
from banking.admin.screens import FactsInline, link_to, stack
from onboarding.admin.consents import consent_table
from onboarding.admin.events import timeline
from onboarding.admin.mails import mail_table
from onboarding.admin.people import LeadFactsAdmin, lead_name
from onboarding.admin.requirements import requirement_tables
from onboarding.admin.statuses import status_badge, status_name
from onboarding.choices import GROUPS, StatusGroup
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Consent, Document, Event, Lead, Mail, Owner


class StatusFilter(admin.SimpleListFilter):
    """Filters applications by status."""

    title, parameter_name = "status", "status"

    def lookups(self, request, model_admin):
        return [(status.value, status_name(status)) for status in Status]

    def queryset(self, request, queryset):
        statuses = self.statuses()
        return queryset if statuses is None else queryset.filter(self.among(statuses))

    def statuses(self):
        """Return the statuses to keep; None for all."""
        return [self.value()] if self.value() in Status.values else None

    def among(self, statuses):
        """Return what is true of the rows with one of these statuses."""
        return Q(status__in=statuses)


class StageFilter(StatusFilter):
    """Filters applications by whose turn it is."""

    title, parameter_name = "stage", "stage"

    def lookups(self, request, model_admin):
        return StatusGroup.choices

    def statuses(self):
        return [status for status, group in GROUPS.items() if group == self.value()] or None


class ApplicationScreen:
    """Facts of an application."""

    @admin.display(description="status", ordering="status")
    def status_badge(self, application):
        return status_badge(application.status)


@admin.register(Application)
class ApplicationAdmin(ApplicationScreen, LeadFactsAdmin):
    list_display = ["label", "partner", "status_badge", "is_current", "status_changed_at"]
    list_display += ["created_at"]
    list_filter = [StageFilter, StatusFilter, "is_current", "lead__partner"]
    list_filter += [("created_at", admin.DateFieldListFilter)]
    list_select_related = ["lead__partner"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["lead__email", "lead__business_name", "lead__unique_id"]
    search_help_text = "Email, business name, the partner's own id, application or customer id."
    id_fields = ["external_id", "lead__external_id"]
    fieldsets = [
        (
            "Application",
            {
                "fields": [
                    "status_badge",
                    "meaning",
                    "status_changed_at",
                    "submitted_at",
                    "expires_at",
                    "reminders_sent",
                    "attempt",
                    "is_current",
                ]
            },
        ),
        (
            "The applicant's way in",
            {"fields": ["entered_at", "link_expires_at", "token_expires_at", "token_used_at"]},
        ),
        (
            "Record",
            {"classes": ["aside"], "fields": ["of_lead", "partner", "external_id", "created_at"]},
        ),
    ]

    def headline(self, application):
        return f"{lead_name(application.lead)}, attempt {application.attempt}"

    def headline_badge(self, application):
        return self.status_badge(application)

    def tables(self, request, application):
        """Return what the user may view of what belongs to the application."""
        return [
            *(requirement_tables(application) if may_view(request, Lead, Owner, Document) else []),
            *([timeline(application)] if may_view(request, Event) else []),
            *([consent_table(application)] if may_view(request, Consent) else []),
            *([mail_table(application)] if may_view(request, Mail) else []),
        ]

    @admin.display(description="application", ordering="lead__business_name")
    def label(self, application):
        return stack(self.headline(application), application.lead.email)

    @admin.display(ordering="lead__partner__name")
    def partner(self, application):
        return application.lead.partner.name

    @admin.display(description="expires if nothing happens")
    def expires_at(self, application):
        return date_format(application.deadline, "DATETIME_FORMAT") if application.deadline else ""

    @admin.display(description="which means")
    def meaning(self, application):
        return application.get_status_display()


class ApplicationInline(ApplicationScreen, FactsInline):
    model = Application
    verbose_name_plural = "applications"
    ordering = ["-attempt"]
    fields = ["application", "status_badge", "is_current", "status_changed_at", "link_expires_at"]
    fields += ["created_at"]

    @admin.display(description="attempt")
    def application(self, application):
        return link_to(application, f"Attempt {application.attempt}")
