"""Documents: what was uploaded for a lead, and the files themselves."""

from urllib.parse import urlsplit

from django.contrib import admin
from django.http import Http404
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.formats import date_format
from django.views.decorators.http import require_safe

from banking.admin.downloads import file_links, open_or_404, serve
from banking.admin.screens import FactsInline, badge, link_to, stack
from banking.files import SHOWN_INLINE
from onboarding.admin.people import LeadFactsAdmin, sealed_names
from onboarding.choices import DocumentStatus
from onboarding.models import Document, Owner


class DocumentScreen:
    """Facts of a document."""

    @admin.display(description="status", ordering="status")
    def status_badge(self, document):
        return badge(document.status, document.get_status_display())

    def get_queryset(self, request):
        unread = [f"owner__{name}" for name in sealed_names(Owner)]
        return super().get_queryset(request).select_related("owner").defer(*unread)

    @admin.display(description="kind", ordering="llc_file_type")
    def kind(self, document):
        return document.get_llc_file_type_display() or "Not said"

    def kind_and_owner(self, document):
        """Return the kind and, if it is about another owner, whose it is."""
        kind = self.kind(document)
        return f"{kind} of {person_name(document.owner)}" if document.owner else kind

    @admin.display(description="size", ordering="size_bytes")
    def size(self, document):
        return filesizeformat(document.size_bytes) if document.file else ""

    @admin.display(description="type and size", ordering="size_bytes")
    def type_and_size(self, document):
        return stack(document.detected_type, self.size(document)) if document.file else ""

    @admin.display(description="file")
    def file_link(self, document):
        """Link to the file; what may be shown opens in a tab of its own."""
        if not document.file:
            return ""
        url = reverse("admin:onboarding_document_file", args=[document.pk])
        return file_links(
            url, is_shown=is_harmless(document) and document.detected_type in SHOWN_INLINE
        )


@admin.register(Document)
class DocumentAdmin(DocumentScreen, LeadFactsAdmin):
    list_display = ["label", "of_lead", "status_badge", "type_and_size", "uploaded_at", "file_link"]
    list_filter = ["status", "llc_file_type", "supplied_by"]
    list_filter += [("uploaded_at", admin.DateFieldListFilter)]
    list_select_related = ["lead"]
    ordering = ["-uploaded_at", "-pk"]
    search_fields = ["file_name", "lead__email", "lead__business_name"]
    search_help_text = "File name, email, business name, document id or customer id."
    id_fields = ["external_id", "lead__external_id"]
    fieldsets = [
        (
            "Document",
            {
                "fields": [
                    "kind",
                    "whose",
                    "file_name",
                    "status_badge",
                    "status_reason",
                    "file_link",
                ]
            },
        ),
        ("File", {"fields": ["detected_type", "content_type", "size", "sha256", "source_url"]}),
        (
            "Record",
            {
                "classes": ["aside"],
                "fields": ["of_lead", "supplied_by", "uploaded_at", "external_id"],
            },
        ),
    ]

    @admin.display(description="of")
    def whose(self, document):
        """Link to the owner whom it is about; without one, it is about the applicant."""
        owner = document.owner
        return link_to(owner, person_name(owner)) if owner else "The applicant or the business"

    def headline(self, document):
        return file_name(document)

    def headline_badge(self, document):
        return self.status_badge(document)

    def get_urls(self):
        return [self.page("file", self.has_view_permission), *super().get_urls()]

    @method_decorator(require_safe)
    def file(self, request, document):
        """Stream the file; a browser may show it only where that is harmless."""
        if not document.file:
            raise Http404("The document has no file yet.")
        return serve(
            request,
            open_or_404(document.file),
            document=document,
            name=document.file_name or str(document.external_id),
            content_type=document.detected_type,
            is_harmless=is_harmless(document),
        )

    @admin.display(description="document", ordering="file_name")
    def label(self, document):
        return stack(file_name(document), self.kind_and_owner(document))


class DocumentInline(DocumentScreen, FactsInline):
    model = Document
    nothing = "No documents yet."
    ordering = ["-uploaded_at", "-pk"]
    fields = ["document", "status_badge", "type_and_size", "received", "file_link"]

    @admin.display(description="document")
    def document(self, document):
        return stack(link_to(document, file_name(document)), self.kind_and_owner(document))

    @admin.display(description="received")
    def received(self, document):
        day = date_format(document.uploaded_at, "DATE_FORMAT")
        return stack(day, f"from the {document.get_supplied_by_display().lower()}")


def file_name(document):
    """Return what staff call a document."""
    return document.file_name or f"From {urlsplit(document.source_url).hostname or 'an address'}"


def is_harmless(document):
    """Say whether a browser may show the file, if it can; one in quarantine may be replaced."""
    was_doubted = document.status == DocumentStatus.REPLACED and document.status_reason
    return document.status != DocumentStatus.QUARANTINED and not was_doubted


def person_name(owner):
    """Return what staff call an owner."""
    return owner.full_name or owner.email or str(owner)
