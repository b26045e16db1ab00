"""Receipts on the pages of their transactions, and as downloads."""

from django.shortcuts import get_object_or_404
from django.urls import reverse

from banking.admin import amounts
from banking.admin.records import RecordsAdmin, SentFileScreen, serve_file
from banking.models import Receipt, Transaction
from banking.queries.receipts import get_receipt
from banking.services import receipts
from foundation.backoffice import cells
from foundation.backoffice.cells import Column, Table
from foundation.backoffice.downloads import file_links, serve_download
from foundation.backoffice.lists import may_view

COLUMNS = [
    Column("Item"),
    Column("Quantity", is_amount=True),
    Column("Price", is_amount=True),
    Column("Amount", is_amount=True),
]


class ReceiptPages(RecordsAdmin):
    """Adds receipts to the screen of transactions."""

    def get_urls(self):
        return [self.page("receipt", self.may_view_receipts), *super().get_urls()]

    def may_view_receipts(self, request):
        """Return whether the user may see receipts."""
        return may_view(request, Transaction, Receipt)

    def receipt(self, request, row):
        """Show the receipt: the file that came with it, else a PDF that the bank makes.

        Raises: Http404 without a receipt, or if the file cannot be opened.
        """
        receipt = get_object_or_404(Receipt.objects.select_related("file"), transaction=row)
        if hasattr(receipt, "file"):
            name = f"{row}, {receipt.file}"
            return serve_file(request, receipt.file, shown=SentFileScreen.shown, document=name)
        download = receipts.write_receipt(get_receipt(row.business, row.external_id))
        return serve_download(request, download, document=f"{row}, receipt {receipt.number}")

    def receipt_tables(self, request, row):
        """Return the receipt as a list of one table; empty without a receipt or the permission."""
        if not self.may_view_receipts(request) or not hasattr(row, "receipt"):
            return []
        return [
            Table(
                title=f"Receipt {row.receipt.number}",
                more=_links(row),
                columns=COLUMNS,
                rows=_rows(row.receipt, -row.amount_cents),
            )
        ]


def _links(row):
    """Return links to the receipt, or a text on why the file that came with it cannot be opened."""
    url = reverse("admin:banking_transaction_receipt", args=[row.pk])
    file = getattr(row.receipt, "file", None)
    if file and not file.is_openable:
        return file.scan_state.label
    return file_links(url, is_shown=not file or file.content_type in SentFileScreen.shown)


def _rows(receipt, total_cents):
    lines = [
        [
            line.name,
            cells.figure(line.quantity),
            amounts.amount(line.unit_price_cents),
            amounts.amount(line.amount_cents),
        ]
        for line in receipt.lines.order_by("position")
    ]
    sums = {"Tax": receipt.tax_cents, "Tip": receipt.tip_cents, "Total": total_cents}
    return [*lines, *([label, " ", " ", amounts.amount(cents)] for label, cents in sums.items())]
