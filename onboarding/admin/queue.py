"""The list of applications: the queue that staff work from."""

from django.contrib import admin

from banking.admin.screens import stack
from onboarding.admin.statuses import StageFilter, StatusFilter


class QueueList:
    """The list of applications; the page of one is of the class that inherits this."""

    list_display = ["label", "partner", "status_badge", "is_current", "status_changed_at"]
    list_display += ["created_at"]
    list_filter = [StageFilter, StatusFilter, "is_current", "lead__partner"]
    list_filter += [("created_at", admin.DateFieldListFilter)]
    list_select_related = ["lead__partner"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["lead__email", "lead__business_name", "lead__unique_id"]
    search_help_text = "Email, business name, the partner's own id, application or customer id."
    id_fields = ["external_id", "lead__external_id"]

    @admin.display(description="application", ordering="lead__business_name")
    def label(self, application):
        return stack(self.headline(application), application.lead.email)

    @admin.display(ordering="lead__partner__name")
    def partner(self, application):
        return application.lead.partner.name
