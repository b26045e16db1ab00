"""Statements and tax statements, opened by owners and by their accountants."""

from typing import ClassVar
from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest

from banking.models import Accountant, Business, Statement, TaxStatement
from foundation.backoffice.downloads import open_or_404, serve
from mcp_server.caller import Caller
from mcp_server.errors import ToolError
from mcp_server.pages.base_page import page_request, signed_in
from mcp_server.pages.connected_assistants import CustomerView
from mcp_server.scopes import Scope
from mcp_server.services import page_log


class StatementFile(CustomerView):
    """Open the statement of a month: for the owner, and for accountants with any level."""

    model: ClassVar[type[Statement] | type[TaxStatement]] = Statement
    page = page_log.STATEMENT

    def get(self, request: HttpRequest, external_id: UUID) -> FileResponse:
        paper = (
            self.model.objects.filter(external_id=external_id).select_related("business").first()
        )
        if paper is None:
            raise Http404
        self._require_access(request, paper.business)
        content = open_or_404(paper)
        page_log.record(page_request(request), self.page, business_ids=[paper.business_id])
        return serve(
            request,
            content,
            document=paper,
            name=paper.file_name,
            content_type=paper.content_type,
        )

    def _require_access(self, request: HttpRequest, business: Business) -> None:
        """Refuse strangers, of whom the log says nothing. Raises: Http404."""
        caller = Caller(signed_in(request), scope=Scope.STATEMENTS)
        try:
            caller.business(str(business.external_id))
        except (ToolError, Accountant.DoesNotExist):
            raise Http404 from None


class TaxStatementFile(StatementFile):
    """Open a tax statement, for the same users."""

    model = TaxStatement
    page = page_log.TAX_STATEMENT
