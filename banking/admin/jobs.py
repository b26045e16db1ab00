"""The screen of background jobs."""

from django.contrib import admin

from banking.admin.records import BusinessFilter, RecordsAdmin
from banking.models import Job
from foundation.backoffice import cells
from foundation.backoffice.lists import date_filter, values_filter
from foundation.backoffice.screens import aside, fieldset, link_to, stack
from foundation.jobs.registry import HEARTBEAT


def words(kind):
    """Return a kind as words: `close_months` becomes "Close months"."""
    return kind.replace("_", " ").capitalize()


@admin.register(Job)
class JobAdmin(RecordsAdmin):
    list_display = ["label", "state", "progress", "outcome", "due", "started", "finished"]
    list_filter = ["status", values_filter("kind", words), BusinessFilter]
    list_filter += [date_filter("created_at")]
    list_select_related = ["business"]
    search_fields = ["business__legal_name", "business__email"]
    search_help_text = "Business name, email, job or business id."
    id_fields = ["external_id", "business__external_id"]
    fieldsets = [
        fieldset("Job", "about", "state", "progress", "attempts", "outcome"),
        fieldset("Times", "due", "started", "finished", "collected"),
        aside("Record", "kind", "external_id", "created_at"),
    ]
    headline_badge = state = cells.badge_of("status")
    started = cells.timestamp_of("started_at")
    finished = cells.timestamp_of("finished_at")
    collected = cells.timestamp_of("collected_at", "file collected")

    def get_queryset(self, request):
        """Return the jobs without heartbeats: one is added each minute, too many for the list."""
        return super().get_queryset(request).exclude(kind=HEARTBEAT)

    def headline(self, job):
        return kind_name(job)

    @admin.display(description="job", ordering="kind")
    def label(self, job):
        return stack(kind_name(job), job.business.legal_name if job.business else "The bank")

    @admin.display(description="about")
    def about(self, job):
        return link_to(job.business, job.business.legal_name) if job.business else "The bank"

    @admin.display(description="progress")
    def progress(self, job):
        if job.total:
            return f"{job.done:,} of {job.total:,}"
        return f"{job.done:,}" if job.done else ""

    @admin.display(description="due", ordering="due_at")
    def due(self, job):
        return "" if job.finished_at else cells.timestamp(job.due_at)


def kind_name(job):
    """Return the kind of a job as words."""
    return words(job.kind)
