"""Statements and tax statements, opened by owners and their accountants; receipts, by owners."""

from typing import ClassVar
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist
from django.http import FileResponse, Http404, HttpRequest

from banking.models import Accountant, Business, Statement, TaxStatement
from banking.models.stored_files import NotOpenable
from banking.queries.receipts import get_receipt
from banking.services import receipts
from foundation.backoffice.downloads import open_or_404, serve, serve_download
from mcp_server.caller import Caller
from mcp_server.errors import ToolError
from mcp_server.pages.base_page import CustomerView, page_request, signed_in
from mcp_server.scopes import Scope
from mcp_server.services import page_downloads, page_log


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
        """Refuse users who may not read statements of the business, without an entry in the log.

        Raises: Http404.
        """
        caller = Caller(signed_in(request), scope=Scope.STATEMENTS)
        try:
            caller.business(str(business.external_id))
        except (ToolError, Accountant.DoesNotExist):
            raise Http404 from None


class TaxStatementFile(StatementFile):
    """Open a tax statement: for the owner, and for accountants with any level."""

    model = TaxStatement
    page = page_log.TAX_STATEMENT


class ReceiptFile(CustomerView):
    """Open the receipt of a transaction, for owners with full access.

    It is the file that came with the transaction, or else the bank's PDF.
    """

    def get(self, request: HttpRequest, transaction_id: UUID) -> FileResponse:
        asked = page_request(request)
        try:
            business = page_downloads.find_business(asked.user, None)
            receipt = get_receipt(business, transaction_id)
            paper = receipts.get_paper(receipt)
        except (page_downloads.StatementsOnly, ObjectDoesNotExist, NotOpenable, FileNotFoundError):
            raise Http404 from None
        page_log.record(asked, page_log.RECEIPT, business_ids=[business.pk])
        document = f"{receipt.transaction}, receipt {receipt.number}"
        return serve_download(request, paper, document=document)
