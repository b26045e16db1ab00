"""The screens of reconciliations with the core system."""

from django.contrib import admin

from banking.admin.records import RecordsAdmin
from banking.models import Reconciliation
from foundation.backoffice import cells
from foundation.backoffice.cells import table_of
from foundation.backoffice.lists import date_filter
from foundation.backoffice.screens import badge, fieldset


@admin.register(Reconciliation)
class ReconciliationAdmin(RecordsAdmin):
    list_display = ["file_name", "line_count", "difference_count", "finished"]
    list_filter = [date_filter("finished_at")]
    search_fields = ["file_name"]
    search_help_text = "File name."
    fieldsets = [
        fieldset("File", "file_name", "line_count", "difference_count"),
        fieldset("Times", "started", "finished"),
    ]
    started = cells.timestamp_of("started_at")
    finished = cells.timestamp_of("finished_at")

    def headline(self, run):
        return f"{run.file_name}, {run.line_count:,} lines"

    def headline_badge(self, run):
        count = run.difference_count
        return (
            badge("FAILED", f"Differences: {count:,}") if count else badge("DONE", "No difference")
        )

    def tables(self, _request, run):
        kept = len(run.differences)
        title = f"Differences, the first {kept:,}" if kept < run.difference_count else "Differences"
        columns = {"difference": lambda text: text}
        return [table_of(title, run.differences, columns, nothing="There was no difference.")]
