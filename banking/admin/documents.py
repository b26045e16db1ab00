"""Documents of a business: its bank letters, expense reports and transactions as CSV."""

from dataclasses import replace
from functools import partial

from django.contrib import admin
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from banking.admin.records import RecordsAdmin
from banking.choices import LetterVariant, ReportPeriod
from banking.models import Account, Business, Transaction
from banking.queries.expenses import get_period
from banking.queries.filters import TransactionFilter
from banking.services import expense_reports, exports, letters
from foundation.backoffice import cells
from foundation.backoffice.downloads import file_links, serve_download, serve_stream
from foundation.backoffice.lists import may_view
from foundation.backoffice.replica_reads import read_rows

PERIODS = [ReportPeriod.BEGINNING_OF_YEAR, ReportPeriod.LAST_YEAR]
LETTERS = "Bank letters"
MONEY_CARDS = {"Expense reports", "Transactions as CSV"}
MONEY_PAGES = ["expenses", "detailed_expenses", "transactions"]


class BusinessDocuments(RecordsAdmin):
    """Base of the screen of businesses with the documents that are made for each download."""

    def get_urls(self):
        pages = [self.page(name, self.may_view_money) for name in MONEY_PAGES]
        return [*pages, self.page("letter", self.may_view_numbers), *super().get_urls()]

    def get_fieldsets(self, request, obj=None):
        """Return the fieldsets of a business, without the documents that the user may not have."""
        hidden = set() if self.may_view_money(request) else MONEY_CARDS
        if not self.may_view_numbers(request):
            hidden = hidden | {LETTERS}
        return [card for card in super().get_fieldsets(request, obj) if card[0] not in hidden]

    def may_view_money(self, request):
        """Return whether the user may see the income and expenses of the business."""
        return may_view(request, Business, Transaction)

    def may_view_numbers(self, request):
        """Return whether the user may have letters, which print the whole account number."""
        return may_view(request, Business, Account)

    def expenses(self, request, business):
        """Download the expense report of a period."""
        return _report(request, business, is_detailed=False)

    def detailed_expenses(self, request, business):
        """Download the expense report of a period with every expense."""
        return _report(request, business, is_detailed=True)

    def transactions(self, request, business):
        """Stream the transactions of a period as CSV."""
        period = _period(request, business, timezone.now())
        wanted = TransactionFilter(start_date=period.first, end_date=period.last)
        export = exports.export_csv(business, wanted)
        rows = read_rows(request, partial(exports.write_lines, business, wanted))
        export = replace(export, chunks=rows)
        return serve_stream(request, export, document=f"{business}, {export.file_name}")

    def letter(self, request, business):
        """Show the PDF of a bank letter about the primary account; 404 if there is no account."""
        variant = _asked(request, "variant", LetterVariant)
        try:
            download = letters.write_letter(business, variant, at=timezone.now())
        except Account.DoesNotExist:
            raise Http404("The business has no primary account.") from None
        return serve_download(request, download, document=f"{business}, {download.file_name}")

    @admin.display(description="totals")
    def expense_reports(self, business):
        return _links("expenses", business, period=PERIODS)

    @admin.display(description="every expense")
    def detailed_reports(self, business):
        return _links("detailed_expenses", business, period=PERIODS)

    @admin.display(description="every transaction")
    def csv_files(self, business):
        return _links("transactions", business, is_shown=False, period=PERIODS)

    @admin.display(description="about the primary account")
    def bank_letters(self, business):
        if not business.accounts.filter(is_primary=True).exists():
            return ""
        return _links("letter", business, variant=LetterVariant)


def _report(request, business, *, is_detailed):
    now = timezone.now()
    period = _period(request, business, now)
    download = expense_reports.write_expense_report(
        business, period, at=now, is_detailed=is_detailed
    )
    return serve_download(request, download, document=f"{business}, {download.file_name}")


def _period(request, business, now):
    return get_period(business, _asked(request, "period", PERIODS), today=now.date())


def _asked(request, name, choices):
    """Return the choice that a query parameter names. Raises: Http404 if it names none."""
    for choice in choices:
        if choice == request.GET.get(name):
            return choice
    raise Http404(f"There is no such {name}.")


def _links(page, business, *, is_shown=True, **choices):
    """Return links to a page, one for each value of its query parameter in `choices`."""
    [(name, values)] = choices.items()
    path = f"admin:banking_business_{page}"
    return cells.lines(
        format_html(
            "{}: {}",
            value.label,
            file_links(
                reverse(path, args=[business.pk], query={name: value.value}), is_shown=is_shown
            ),
        )
        for value in values
    )
