"""The screens of uploads of the record feed: upload, preview, and proposal to store the records."""

import orjson
from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join

from banking.admin.feed import outcome_table
from banking.admin.staff_changes import PROPOSED
from banking.choices import FeedResult, StaffChangeStatus
from banking.errors import StepRefused
from banking.feed import csv_files
from banking.feed.files import is_csv
from banking.feed.registry import KINDS
from banking.models import FeedUpload
from banking.services import feed_uploads
from foundation.backoffice import cells
from foundation.backoffice.lists import date_filter
from foundation.backoffice.screens import FactsAdmin, aside, badge, fieldset, link_to, stack

MEGABYTES = feed_uploads.MAX_BYTES // 1024**2
TOO_LARGE = f"The file has more than {MEGABYTES} MB. Send it with manage.py feed."
NEEDS_KIND = "A CSV file has records of one kind. Choose it."


class UploadForm(forms.ModelForm):
    """Form for a file of records, whose lines are tried out without storing them.

    A file that is too large or cannot be read is refused.
    """

    file = forms.FileField(
        help_text=(
            f"Lines of JSON, or CSV (named *.csv); {MEGABYTES} MB and "
            f"{feed_uploads.MAX_LINES:,} records at most."
        )
    )
    kind = forms.ChoiceField(
        required=False,
        choices=lambda: [
            ("", "As the lines of JSON say"),
            *((kind, kind) for kind in sorted(KINDS)),
        ],
        help_text="The kind of all records. CSV needs it.",
    )
    outcomes = None

    class Meta:
        model = FeedUpload
        fields = ["kind"]

    def clean(self):
        file, kind = self.cleaned_data.get("file"), self.cleaned_data.get("kind", "")
        if file is None or self.errors:
            return
        if file.size > feed_uploads.MAX_BYTES:
            self.add_error("file", TOO_LARGE)
        elif is_csv(file.name) and not kind:
            self.add_error("kind", NEEDS_KIND)
        else:
            self._try_out(file, kind)

    def _try_out(self, file, kind):
        try:
            self.outcomes = feed_uploads.try_out(file, file.name, kind, at=timezone.now())
        except (csv_files.Unreadable, feed_uploads.Unsuitable) as exc:
            self.add_error("file", str(exc))


@admin.register(FeedUpload)
class FeedUploadAdmin(FactsAdmin):
    add_form_template = "admin/banking/feedupload/add_form.html"
    change_form_template = "admin/banking/feedupload/change_form.html"
    list_display = ["label", "kind_name", "lines_by_result", "state", "uploaded", "by"]
    list_filter = ["kind", date_filter("uploaded_at")]
    list_select_related = ["uploaded_by", "change", "batch"]
    search_fields = ["file_name", "file_digest"]
    search_help_text = "File name, SHA-256 or batch id."
    has_history = False  # the staff events say who proposed and confirmed it
    ordering = ["-pk"]
    steps = ["propose", "discard"]
    fieldsets = [
        fieldset("File", "file_name", "kind_name", "state"),
        fieldset("People", "by", "uploaded", "proposal", "of_batch"),
        aside("Record", "external_id", "file_digest", "kept_for_now"),
    ]
    uploaded = cells.timestamp_of("uploaded_at")
    kept_for_now = cells.timestamp_of("kept_until")

    def has_add_permission(self, request):
        return admin.ModelAdmin.has_add_permission(self, request)

    def get_urls(self):
        page = self.list_page(
            "templates/<str:kind>.csv",
            "template",
            self.template,
            is_allowed=self.has_view_permission,
        )
        return [page, *super().get_urls()]

    def template(self, _request, kind):
        """Send the CSV template of a kind."""
        if kind not in KINDS:
            raise Http404
        made = csv_files.template(kind)
        disposition = {"Content-Disposition": f'attachment; filename="{made.file_name}"'}
        return HttpResponse(made.content, content_type=made.content_type, headers=disposition)

    def get_form(self, request, obj=None, change=False, **kwargs):
        if obj is None:
            kwargs["form"] = UploadForm
        return super().get_form(request, obj, change, **kwargs)

    def get_fieldsets(self, request, obj=None):
        return self.fieldsets if obj else [(None, {"fields": ["file", "kind"]})]

    def add_view(self, request, form_url="", extra_context=None):
        name = "admin:banking_feedupload_template"
        links = format_html_join(
            " · ",
            '<a href="{}">{}</a>',
            ((reverse(name, args=[kind]), kind) for kind in sorted(KINDS)),
        )
        facts = {"title": "Upload records", "templates": links, **(extra_context or {})}
        return super().add_view(request, form_url, facts)

    def save_model(self, request, obj, form, change):
        """Store the file and the outcomes of its lines as a preview; store no record."""
        sent = form.cleaned_data["file"]
        sent.seek(0)
        kept = feed_uploads.keep(
            sent.read(), sent.name, obj.kind, form.outcomes, by=request.user, at=timezone.now()
        )
        obj.pk, obj.external_id = kept.pk, kept.external_id

    def response_add(self, request, obj, post_url_continue=None):
        return self.to_page("change", obj)

    def propose(self, request, upload):
        try:
            feed_uploads.propose(upload, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.ERROR)
        else:
            self.message_user(request, PROPOSED, messages.WARNING)

    def discard(self, request, upload):
        try:
            feed_uploads.discard(upload, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.ERROR)
        else:
            self.message_user(request, "The file is discarded.", messages.SUCCESS)

    def headline(self, upload):
        return upload.file_name

    def headline_badge(self, upload):
        return self.state(upload)

    def tiles(self, _request, upload):
        return [(result.label, f"{upload.counts[result]:,}") for result in _results(upload)]

    def tables(self, _request, upload):
        outcomes = [orjson.loads(line) for line in feed_uploads.read_results(upload).splitlines()]
        refused = [one for one in outcomes if one["result"] == FeedResult.REFUSED]
        others = [one for one in outcomes if one["result"] != FeedResult.REFUSED]
        in_csv = is_csv(upload.file_name)
        return [
            outcome_table("Refused lines", refused, in_csv=in_csv, nothing="No line is refused."),
            outcome_table("Other lines", others, in_csv=in_csv, nothing="All lines are refused."),
        ]

    def more_facts(self, _request, upload):
        is_open = upload.is_open(at=timezone.now())
        return {
            "is_open": is_open,
            "is_proposed": is_open and _is_proposed(upload),
            "has_changes": bool(feed_uploads.CHANGES & {*_results(upload)}),
        }

    @admin.display(description="file", ordering="file_name")
    def label(self, upload):
        return stack(upload.file_name, f"{sum(upload.counts.values()):,} lines")

    @admin.display(description="kind", ordering="kind")
    def kind_name(self, upload):
        return upload.kind or "Several kinds"

    @admin.display(description="lines by result")
    def lines_by_result(self, upload):
        return cells.lines(f"{upload.counts[one]:,} {one}" for one in _results(upload))

    @admin.display(description="state")
    def state(self, upload):
        if upload.batch:
            return badge("DONE", "Stored")
        if not upload.is_open(at=timezone.now()):
            return badge("EXPIRED", "Discarded")
        return badge("QUEUED", "Proposed") if _is_proposed(upload) else badge("NEW", "Preview")

    @admin.display(description="uploaded by", ordering="uploaded_by__email")
    def by(self, upload):
        return upload.uploaded_by.email

    @admin.display(description="proposal")
    def proposal(self, upload):
        change = upload.change
        return link_to(change, change.get_status_display()) if change else "None"

    @admin.display(description="batch")
    def of_batch(self, upload):
        return link_to(upload.batch, str(upload.batch.external_id)) if upload.batch else "None"


def _results(upload):
    """Return the results that at least one line of an upload has, in the order of FeedResult."""
    return [result for result in FeedResult if upload.counts.get(result)]


def _is_proposed(upload):
    return bool(upload.change and upload.change.status == StaffChangeStatus.OPEN)
