"""Documents: screens of uploaded documents, and the views that serve their files."""

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib import admin
from django.db.models import Q
from django.template.defaultfilters import filesizeformat
from django.utils.decorators import method_decorator

from foundation.backoffice.cells import timestamp_of
from foundation.backoffice.downloads import open_or_404, serve
from foundation.backoffice.lists import date_filter
from foundation.backoffice.screens import FactsInline, aside, fieldset, link_to, stack
from foundation.files import PDF
from foundation.privacy.fields import encrypted_names
from foundation.times import show_day, show_time
from onboarding.admin import file_tokens
from onboarding.admin.document_facts import can_be_shown, file_name, person_name, status_badge
from onboarding.admin.document_viewer import DocumentViewer
from onboarding.admin.people import CaseLinked, LeadFactsAdmin
from onboarding.models import Document, Owner

BROWSERS_OWN = {"style-src": [UNSAFE_INLINE]}  # browsers lay out images with inline styles


class DocumentScreen:
    """Display fields of a document."""

    @admin.display(description="status", ordering="status")
    def status_badge(self, document):
        return status_badge(document)

    def get_queryset(self, request):
        unread = [f"owner__{name}" for name in encrypted_names(Owner)]
        return super().get_queryset(request).select_related("owner").defer(*unread)

    @admin.display(description="kind", ordering="llc_file_type")
    def kind(self, document):
        kind = document.get_llc_file_type_display() or "Not given"
        return f"{kind}, {document.get_side_display().lower()}" if document.side else kind

    def kind_and_owner(self, document):
        """Return the kind, and the owner that the document is about, if any."""
        kind = self.kind(document)
        return f"{kind} of {person_name(document.owner)}" if document.owner else kind

    @admin.display(description="size", ordering="size_bytes")
    def size(self, document):
        return filesizeformat(document.size_bytes) if document.file else ""

    @admin.display(description="type and size", ordering="size_bytes")
    def type_and_size(self, document):
        return stack(document.detected_type, self.size(document)) if document.file else ""


@admin.register(Document)
class DocumentAdmin(DocumentViewer, DocumentScreen, CaseLinked, LeadFactsAdmin):
    list_display = ["label", "of_lead", "status_badge", "type_and_size", "uploaded"]
    list_filter = ["status", "llc_file_type", "supplied_by"]
    list_filter += [date_filter("uploaded_at")]
    list_select_related = ["lead"]
    ordering = ["-pk"]  # the newest first, by the index of the keys
    uploaded = timestamp_of("uploaded_at")
    search_help_text = "File name, names, email, phone number, document id or customer id."
    id_fields = ["external_id", "lead__external_id"]
    fieldsets = [
        fieldset("Document", "kind", "whose", "file_name", "status_badge", "status_reason"),
        fieldset("File", "detected_type", "content_type", "size", "sha256", "source_url"),
        fieldset("Malware scan", "scan", "scanned_at", "scanned_with"),
        aside("Record", "of_lead", "supplied_by", "uploaded_at", "external_id"),
    ]

    def more_matches(self, text):
        return Q(*(Q(file_name__icontains=word) for word in text.split()))

    @admin.display(description="result")
    def scan(self, document):
        """Return the result of the newest scan, or since when the first scan is waited for."""
        if document.is_unscanned:
            since = show_time(document.uploaded_at)
            return f"Waits since {since}; attempts: {document.scan_attempts}"
        return document.malware or ("Nothing found" if document.scanned_with else "Not scanned")

    @admin.display(description="of")
    def whose(self, document):
        """Return a link to the document's owner, or a text for a document without one."""
        owner = document.owner
        return link_to(owner, person_name(owner)) if owner else "The applicant or the business"

    change_form_template = "admin/onboarding/document/change_form.html"

    def headline(self, document):
        return file_name(document)

    def headline_badge(self, document):
        return self.status_badge(document)

    def get_urls(self):
        return [self.page("file", self.has_view_permission), *super().get_urls()]

    def more_facts(self, request, document):
        return super().more_facts(request, document) | {"is_shown": can_be_shown(document)}

    @method_decorator(csp_update(BROWSERS_OWN))
    def file(self, request, document):
        """Stream the file if the token is valid, inline only a picture of a harmless document.

        Without a valid token, return the page that says where to open the document.
        """
        token = request.GET.get("token", "")
        if not self.is_opened(request, document, token, file_tokens.LIFETIME):
            return self.ask_to_open(request, document)
        is_shown = can_be_shown(document) and document.detected_type != PDF
        return serve(
            request,
            open_or_404(document),
            document=document,
            name=document.safe_name,
            content_type=document.detected_type,
            is_harmless=is_shown and "keep" not in request.GET,
        )

    @admin.display(description="document", ordering="file_name")
    def label(self, document):
        return stack(file_name(document), self.kind_and_owner(document))


class DocumentInline(DocumentScreen, FactsInline):
    model = Document
    nothing = "No documents yet."
    ordering = ["-uploaded_at", "-pk"]
    fields = ["document", "status_badge", "type_and_size", "received"]

    @admin.display(description="document")
    def document(self, document):
        return stack(link_to(document, file_name(document)), self.kind_and_owner(document))

    @admin.display(description="received")
    def received(self, document):
        day = show_day(document.uploaded_at)
        return stack(day, f"from the {document.get_supplied_by_display().lower()}")
