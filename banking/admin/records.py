"""Base classes, filters and links of the screens of the bank's records."""

from django.contrib import admin
from django.http import Http404

from banking.models import Account, Business
from foundation.backoffice import cells
from foundation.backoffice.downloads import FileScreen, open_or_404, serve
from foundation.backoffice.lists import CappedPaginator, ChosenFilter
from foundation.backoffice.screens import FactsAdmin, link_to
from foundation.files import PDF, SHOWN_INLINE


class BusinessFilter(ChosenFilter):
    title = parameter_name = "business"
    model = Business

    def name_of(self, business):
        return business.legal_name


class AccountFilter(ChosenFilter):
    title = parameter_name = "account"
    model = Account

    def name_of(self, account):
        return account_name(account)


class RecordsAdmin(FactsAdmin):
    """A read-only screen of records, which services write."""

    has_history = False  # nothing is ever changed here
    paginator = CappedPaginator
    ordering = ["-pk"]

    @admin.display(description="business", ordering="business__legal_name")
    def of_business(self, row):
        return link_to(row.business, row.business.legal_name) if row.business else "The bank"


class FileAdmin(FileScreen, RecordsAdmin):
    """A screen of records that keep a file each."""

    def get_urls(self):
        return [self.page("file", self.has_view_permission), *super().get_urls()]

    def file(self, request, row):
        """Stream the file."""
        return serve_file(request, row, shown=self.shown)


class SentFileScreen(FileScreen):
    """Facts of a file that the bank did not make; staff can open it once a scan found it clean."""

    shown = SHOWN_INLINE - {PDF}  # others made them, not the bank

    @admin.display(description="file")
    def file_link(self, row):
        return super().file_link(row) if row.is_openable else row.scan_state.label

    @admin.display(description="result")
    def scan(self, row):
        """Return the name of the malware that the newest scan found, else the state of the scan."""
        return row.malware or row.scan_state.label


def serve_file(request, row, *, shown, document=None):
    """Stream the file of a row; a browser may show the content types in `shown`.

    Raises: Http404 if the file is missing, not scanned yet or malware; UnreadableFile.
    """
    if not getattr(row, "is_openable", True):
        raise Http404(row.scan_state.label)
    return serve(
        request,
        open_or_404(row),
        document=document or row,
        name=row.safe_name,
        content_type=row.content_type,
        is_harmless=row.content_type in shown,
    )


def account_name(account):
    """Return the name of an account with its masked number, as staff see it."""
    return f"{account.name} {account.masked_number}"


def link_to_account(account):
    """Return a link to the page of an account."""
    return link_to(account, account_name(account))


def account_link_of(name):
    """Return an admin display that links to the account in the field `name`, sorted by its name."""
    display = cells.value_of(name, "", link_to_account)
    display.admin_order_field = f"{name}__name"
    return display
