"""Audit exports: the button that downloads the events of a lead."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST

from foundation.backoffice.downloads import serve_stream
from foundation.backoffice.screens import FactsAdmin
from onboarding.services.events import audit_exports


@dataclass(frozen=True)
class _Lines:
    """File that is streamed line by line."""

    file_name: str
    chunks: Iterator[bytes]
    content_type: str = "application/jsonl"


class AuditExport(FactsAdmin):
    """Mixin that adds the audit export to the screen of leads."""

    change_form_template = "admin/onboarding/lead/change_form.html"

    def get_urls(self):
        return [self.page("export_audit", self.may_export_audit), *super().get_urls()]

    def may_export_audit(self, request):
        """Return whether the user may export the events of a lead."""
        return request.user.has_perm("onboarding.export_audit")

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        context["may_export_audit"] = self.may_export_audit(request)
        return super().render_change_form(request, context, add, change, form_url, obj)

    @method_decorator(require_POST)
    def export_audit(self, request, lead):
        """Record the export, and stream the events of the lead as a file."""
        lines = audit_exports.export(lead, by=request.user, at=timezone.now())
        file = _Lines(f"audit-{lead.external_id}.jsonl", (line.encode() for line in lines))
        return serve_stream(request, file, document=f"audit of {lead}")
