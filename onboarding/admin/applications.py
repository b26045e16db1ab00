"""Applications: each attempt of a lead, and where it stands."""

from django.contrib import admin
from django.utils.formats import date_format

from banking.admin.records import may_view
from banking.admin.screens import FactsInline, link_to
from onboarding.admin.consents import consent_table
from onboarding.admin.events import timeline
from onboarding.admin.mails import mail_table
from onboarding.admin.people import LeadFactsAdmin, lead_name
from onboarding.admin.queue import QueueList
from onboarding.admin.requirements import requirement_tables
from onboarding.admin.statuses import status_badge
from onboarding.models import Application, Consent, Document, Event, Lead, Mail, Owner


class ApplicationScreen:
    """Facts of an application."""

    @admin.display(description="status", ordering="status")
    def status_badge(self, application):
        return status_badge(application.status)


@admin.register(Application)
class ApplicationAdmin(QueueList, ApplicationScreen, LeadFactsAdmin):
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
