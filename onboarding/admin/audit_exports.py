"""Audit exports: the button that downloads the events of a lead."""

from django.utils import timezone
from django.views.decorators.http import require_POST

from foundation.backoffice.downloads import serve_stream
from foundation.backoffice.screens import FactsAdmin
from foundation.files import Stream
from onboarding.services.events import audit_exports


class AuditExport(FactsAdmin):
    """Mixin that adds the audit export to the screen of leads."""

    change_form_template = "admin/onboarding/lead/change_form.html"

    def get_urls(self):
        page = self.page("export_audit", self.may_export_audit, guard=require_POST)
        return [page, *super().get_urls()]

    def may_export_audit(self, request):
        """Return whether the user may export the events of a lead."""
        return request.user.has_perm("onboarding.export_audit")

    def more_facts(self, request, lead):
        may_export = {"may_export_audit": self.may_export_audit(request)}
        return super().more_facts(request, lead) | may_export

    def export_audit(self, request, lead):
        """Record the export, and stream the events of the lead as a file of JSON lines."""
        lines = audit_exports.export(lead, by=request.user, at=timezone.now())
        chunks = (line.encode() for line in lines)
        file = Stream("application/jsonl", f"audit-{lead.external_id}.jsonl", chunks)
        return serve_stream(request, file, document=f"audit of {lead}")
