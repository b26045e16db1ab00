"""The screens of the record feed: batches with their refused lines, and waiting lines."""

import orjson
from django.contrib import admin

from banking.admin.records import RecordsAdmin
from banking.choices import FeedResult, FeedSource
from banking.feed import csv_files
from banking.feed.batches import read_results
from banking.feed.files import is_csv
from banking.models import FeedBatch, FeedInboxLine
from foundation.backoffice import cells
from foundation.backoffice.cells import Table, table_of
from foundation.backoffice.lists import OptionsFilter, date_filter
from foundation.backoffice.screens import aside, badge, fieldset, link_to, stack

SHOWN = 100  # refused lines on the page of a batch


class RefusalFilter(OptionsFilter):
    """Filter by batches with and without refused lines."""

    title, parameter_name = "refused lines", "refused"
    options = [("yes", "With refused lines"), ("no", "None refused")]

    def queryset(self, request, queryset):
        has_refused = {"counts__has_key": FeedResult.REFUSED.value}
        if self.value() == "yes":
            return queryset.filter(**has_refused)
        return queryset.exclude(**has_refused) if self.value() == "no" else queryset


@admin.register(FeedBatch)
class FeedBatchAdmin(RecordsAdmin):
    change_list_template = "admin/banking/feedbatch/change_list.html"
    list_display = ["label", "kind_name", "results", "started", "finished"]
    list_filter = ["source", RefusalFilter, date_filter("started_at")]
    search_fields = ["sender", "kind"]
    search_help_text = "Access key, file name, kind or batch id."
    id_fields = ["external_id"]
    fieldsets = [
        fieldset("Batch", "source", "sender", "kind_name", "is_atomic", "results"),
        fieldset("Times", "started", "finished"),
        aside("Record", "external_id", "line_count", "file_digest", "offset_bytes"),
    ]
    started = cells.timestamp_of("started_at")
    finished = cells.timestamp_of("finished_at")

    def headline(self, batch):
        return f"{batch.get_source_display()}, {batch.line_count:,} lines"

    def headline_badge(self, batch):
        refused = batch.counts.get(FeedResult.REFUSED.value, 0)
        return badge("FAILED", f"{refused:,} refused") if refused else badge("DONE", "None refused")

    def tables(self, _request, batch):
        return [_refused_lines(batch), _waiting_lines(batch)]

    @admin.display(description="sender", ordering="sender")
    def label(self, batch):
        return stack(batch.sender or "No name", batch.get_source_display())

    @admin.display(description="kind", ordering="kind")
    def kind_name(self, batch):
        return batch.kind or "Several kinds"

    @admin.display(description="lines by result")
    def results(self, batch):
        parts = [f"{count:,} {result}" for result, count in sorted(batch.counts.items())]
        return cells.lines(parts) if parts else "No lines"


class WaitingFilter(OptionsFilter):
    """Filter by lines that still wait, and lines that were refused after waiting."""

    title = parameter_name = "state"
    options = [("waiting", "Waiting"), ("refused", "Refused")]

    def queryset(self, request, queryset):
        if self.value() == "waiting":
            return queryset.filter(fault="")
        return queryset.exclude(fault="") if self.value() == "refused" else queryset


@admin.register(FeedInboxLine)
class FeedInboxLineAdmin(RecordsAdmin):
    list_display = ["record", "waits_for", "state", "received", "expires"]
    list_filter = [WaitingFilter, "kind", "missing_kind"]
    list_select_related = ["batch"]
    search_fields = ["external_id", "missing_id"]
    search_help_text = "Id of the record, or of the record that is missing."
    fieldsets = [
        fieldset("Line", "record", "version", "waits_for", "state"),
        fieldset("Times", "received", "expires"),
        aside("Record", "of_batch", "line_number"),
    ]
    received = cells.timestamp_of("received_at")
    expires = cells.timestamp_of("expires_at", "waits until")

    def headline(self, line):
        return f"{line.kind} {line.external_id}"

    def headline_badge(self, line):
        return badge("FAILED", "Refused") if line.fault else badge("QUEUED", "Waiting")

    @admin.display(description="record", ordering="external_id")
    def record(self, line):
        return stack(line.external_id, line.kind)

    @admin.display(description="waits for", ordering="missing_id")
    def waits_for(self, line):
        return stack(line.missing_id, line.missing_kind)

    @admin.display(description="state")
    def state(self, line):
        return line.fault or "Waiting"

    @admin.display(description="batch")
    def of_batch(self, line):
        return link_to(line.batch, str(line.batch.external_id))


def outcome_table(title, outcomes, *, in_csv, nothing) -> Table:
    """Return a table of the first SHOWN outcomes of lines, with reasons for refusals.

    `outcomes` are the dicts of the feed's results. With `in_csv` the table names rows and columns,
    otherwise lines and fields. It shows the text `nothing` if there are no outcomes.
    """
    place_of = csv_files.column_of if in_csv else str
    columns = {
        "row" if in_csv else "line": lambda one: f"{one['line']:,}",
        "kind": lambda one: one["kind"] or "",
        "id": lambda one: one["externalId"] or "",
        "result": lambda one: one["result"],
    }
    if any("errors" in one for one in outcomes):
        columns |= {
            "column" if in_csv else "field": lambda one: cells.lines(
                place_of(error["field"] or "") for error in one.get("errors", ())
            ),
            "reason": lambda one: cells.lines(error["message"] for error in one.get("errors", ())),
        }
    more = f"the first {SHOWN} of {len(outcomes):,}" if len(outcomes) > SHOWN else ""
    return table_of(title, outcomes[:SHOWN], columns, nothing=nothing, more=more)


def _refused_lines(batch) -> Table:
    """Return a table of the first SHOWN refused lines of a batch, with the reasons."""
    refused = []
    for piece in read_results(batch) if batch.counts.get(FeedResult.REFUSED.value) else ():
        outcomes = map(orjson.loads, piece.splitlines())
        refused += [one for one in outcomes if one["result"] == FeedResult.REFUSED.value]
        if len(refused) >= SHOWN:
            break
    return outcome_table(
        "Refused lines",
        refused,
        in_csv=is_csv(batch.sender) and batch.source != FeedSource.API,
        nothing="No line was refused.",
    )


def _waiting_lines(batch) -> Table:
    """Return a table of the first SHOWN waiting lines of a batch, with the missing records."""
    lines = batch.inbox_lines.filter(fault="").order_by("line_number", "pk")[: SHOWN + 1]
    columns = {
        "line": lambda line: link_to(line, f"{line.line_number:,}"),
        "kind": lambda line: line.kind,
        "id": lambda line: line.external_id,
        "waits for": lambda line: stack(line.missing_id, line.missing_kind),
        "until": lambda line: cells.timestamp(line.expires_at),
    }
    more = f"the first {SHOWN}" if len(lines) > SHOWN else ""
    return table_of("Waiting lines", lines[:SHOWN], columns, nothing="No line waits.", more=more)
