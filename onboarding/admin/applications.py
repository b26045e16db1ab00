"""Applications: the queue, the case page, and the list of a lead's attempts."""

from django.contrib import admin

from foundation.backoffice.screens import FactsInline, link_to
from onboarding.admin.case import CasePage
from onboarding.admin.people import LeadFactsAdmin, lead_name
from onboarding.admin.queue import QueueList
from onboarding.admin.statuses import status_badge
from onboarding.models import Application


class ApplicationScreen:
    """Display fields of an application."""

    @admin.display(description="status", ordering="status")
    def status_badge(self, application):
        return status_badge(application.status)


@admin.register(Application)
class ApplicationAdmin(QueueList, CasePage, ApplicationScreen, LeadFactsAdmin):
    """Admin of applications: the queue as list, the case as change page."""

    def headline(self, application):
        return f"{lead_name(application.lead)}, attempt {application.attempt}"


class ApplicationInline(ApplicationScreen, FactsInline):
    model = Application
    verbose_name_plural = "applications"
    ordering = ["-attempt"]
    fields = ["application", "status_badge", "is_current", "status_changed_at", "link_expires_at"]
    fields += ["created_at"]

    @admin.display(description="attempt")
    def application(self, application):
        return link_to(application, f"Attempt {application.attempt}")
