"""Documents: screens of uploaded documents, and the views that serve their files."""

from http import HTTPStatus
from urllib.parse import urlsplit

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib import admin, messages
from django.http import Http404, HttpResponseRedirect
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.formats import date_format
from django.views.decorators.http import require_POST

from banking.errors import StepRefused
from foundation.backoffice.downloads import log_file, open_or_404, serve
from foundation.backoffice.screens import FactsInline, aside, badge, fieldset, link_to, stack
from foundation.files import PDF, SHOWN_INLINE
from foundation.privacy.fields import encrypted_names
from onboarding.admin import file_tokens
from onboarding.admin.document_pages import draw, page_number
from onboarding.admin.people import CaseLinked, LeadFactsAdmin, current_case
from onboarding.choices import DocumentStatus
from onboarding.models import Document, Owner
from onboarding.services.documents import case_documents

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
class DocumentAdmin(DocumentScreen, CaseLinked, LeadFactsAdmin):
    list_display = ["label", "of_lead", "status_badge", "type_and_size", "uploaded_at"]
    list_filter = ["status", "llc_file_type", "supplied_by"]
    list_filter += [("uploaded_at", admin.DateFieldListFilter)]
    list_select_related = ["lead"]
    ordering = ["-uploaded_at", "-pk"]
    search_fields = ["file_name", "lead__email", "lead__business_name"]
    search_help_text = "File name, email, business name, document id or customer id."
    id_fields = ["external_id", "lead__external_id"]
    fieldsets = [
        fieldset("Document", "kind", "whose", "file_name", "status_badge", "status_reason"),
        fieldset("File", "detected_type", "content_type", "size", "sha256", "source_url"),
        fieldset("Malware scan", "scan", "scanned_at", "scanned_with"),
        aside("Record", "of_lead", "supplied_by", "uploaded_at", "external_id"),
    ]

    @admin.display(description="result")
    def scan(self, document):
        """Return the result of the newest scan, or since when the first scan is waited for."""
        if document.is_unscanned:
            since = date_format(document.uploaded_at, "DATETIME_FORMAT")
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
        opening = self.page("open", self.has_view_permission, guard=require_POST)
        shown = [self.page(name, self.has_view_permission) for name in ("file", "pages")]
        return [opening, *shown, *super().get_urls()]

    def more_facts(self, request, document):
        return super().more_facts(request, document) | {"is_shown": can_be_shown(document)}

    def open(self, request, document):
        """Record that the user opens the document, and redirect with a token.

        A PDF is shown as pictures of its pages, any other file as it is.
        """
        if not document.file:
            raise Http404("The document has no file yet.")
        try:
            case_documents.note_opened(document, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.WARNING)
            return None
        asked = {"token": file_tokens.issue(request.user, document)}
        is_kept = "keep" in request.POST or not can_be_shown(document)
        if is_kept:
            asked["keep"] = "1"
        name = "file" if is_kept or document.detected_type != PDF else "pages"
        path = reverse(f"admin:onboarding_document_{name}", args=[document.pk], query=asked)
        return HttpResponseRedirect(path, status=HTTPStatus.SEE_OTHER)

    @method_decorator(csp_update(BROWSERS_OWN))
    def file(self, request, document):
        """Stream the file if the token is valid, inline only a picture of a harmless document."""
        if not self._is_opened(request, document, file_tokens.LIFETIME):
            return self._ask_to_open(request, document)
        is_shown = can_be_shown(document) and document.detected_type != PDF
        return serve(
            request,
            open_or_404(document),
            document=document,
            name=document.safe_name,
            content_type=document.detected_type,
            is_harmless=is_shown and "keep" not in request.GET,
        )

    def pages(self, request, document):
        """Show one page of a PDF file as a picture if the token is valid."""
        is_opened = self._is_opened(request, document, file_tokens.READING)
        if not (is_opened and can_be_shown(document)):
            return self._ask_to_open(request, document)
        number = page_number(request.GET.get("page", ""))
        log_file(request, f"{document}, page {number}")
        return self.show_page(
            request,
            "onboarding/document/pages",
            title=file_name(document),
            original=document,
            is_popup=True,  # without the header and the navigation: a frame of the case
            is_large="large" in request.GET,
            token=file_tokens.issue(request.user, document),
            **draw(open_or_404(document), number),
        )

    def _is_opened(self, request, document, lifetime):
        token = request.GET.get("token", "")
        is_good = file_tokens.is_good(token, request.user, document, lifetime=lifetime)
        return is_good and document.is_openable

    def _ask_to_open(self, request, document):
        case = current_case(document.lead)
        return self.show_page(
            request,
            "onboarding/document/no_token",
            title="Open it from the case",
            path=reverse("admin:onboarding_application_change", args=[case.pk]) if case else "",
            status=HTTPStatus.FORBIDDEN,
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
        day = date_format(document.uploaded_at, "DATE_FORMAT")
        return stack(day, f"from the {document.get_supplied_by_display().lower()}")


def file_name(document):
    """Return the file name, or the host of the source URL."""
    return document.file_name or f"From {urlsplit(document.source_url).hostname or 'an address'}"


def status_badge(document):
    """Return the status as a badge; a file that waits for its scan says so."""
    waits = "To be scanned for malware" if document.awaits_receipt else ""
    return badge(document.status, waits or document.get_status_display())


def can_be_shown(document):
    """Return whether staff may see the file, or pictures of it, on a page."""
    shown = document.is_openable and document.detected_type in SHOWN_INLINE
    return shown and is_harmless(document)


def is_harmless(document):
    """Return whether the document is not in quarantine, and was not replaced for a doubt."""
    was_doubted = document.status == DocumentStatus.REPLACED and document.status_reason
    return document.status != DocumentStatus.QUARANTINED and not was_doubted


def person_name(owner):
    """Return the name of an owner, or else the email address or id."""
    return owner.full_name or owner.email or str(owner)
