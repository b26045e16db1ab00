"""Accounts: their balances, their entries, their statements."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html

from banking.admin import amounts
from banking.admin.cards import CardInline
from banking.admin.entries import EntriesPage, entries_table
from banking.admin.operation_forms import AdjustForm, AmountForm, CloseForm
from banking.admin.operation_pages import Operation, OperationPages
from banking.admin.records import BusinessFilter, RecordsAdmin, account_name, link_to_account
from banking.admin.statements import StatementInline
from banking.models import Account, Entry, LinkedAccount, Transaction
from banking.queries import entries
from banking.services import closings, corrections, freezes
from foundation.backoffice import cells
from foundation.backoffice.lists import date_filter, link_to_list, may_view
from foundation.backoffice.screens import FactsInline, aside, badge, fieldset, stack

NEWEST = 10  # entries on the page of the account itself
LAST_FOUR = 4


class AccountScreen:
    """Columns of accounts that lists and pages share; account numbers are always masked."""

    credit_limit = amounts.amount_of("credit_limit_cents")
    primary = cells.flag_of("is_primary", "primary")
    opened = cells.timestamp_of("opened_at")
    number = cells.text_of("masked_number", "account number")

    @admin.display(description="status", ordering="status")
    def status_badge(self, account):
        if account.is_frozen:
            return badge("FROZEN", "Frozen")
        return badge(account.status, account.get_status_display())

    @admin.display(description="current", ordering="current_cents")
    def current(self, account):
        return _kept(account, account.current_cents)

    @admin.display(description="held", ordering="held_cents")
    def held(self, account):
        return _kept(account, account.held_cents)

    @admin.display(description="available")
    def available(self, account):
        return _kept(account, account.available_cents)


def _is_open(account):
    return account.is_open and account.business_id is not None


OPERATIONS = {
    "freeze": Operation(
        "Freeze",
        freezes.propose_freeze,
        lambda account: _is_open(account) and not account.is_frozen,
        "The account will send no money, but it can receive money. Postings of the core and "
        "holds placed before are still posted.",
    ),
    "unfreeze": Operation(
        "Unfreeze",
        freezes.propose_unfreeze,
        lambda account: account.is_frozen,
        "The account will send money again.",
    ),
    "hold": Operation(
        "Place a hold",
        corrections.propose_hold,
        _is_open,
        "The amount will not be available until the hold is released on its page.",
        AmountForm,
    ),
    "adjust": Operation(
        "Adjust the balance",
        corrections.propose_adjustment,
        _is_open,
        "A correcting posting between this account and the bank's clearing account will be made. "
        "To undo one posting, use Reverse on the page of its transaction instead.",
        AdjustForm,
    ),
    "close": Operation(
        "Close with payout",
        closings.propose_closing,
        _is_open,
        "The balance will be paid out, and the account and its cards closed for good.",
        CloseForm,
    ),
}


class FrozenFilter(admin.SimpleListFilter):
    title, parameter_name = "freeze", "frozen"

    def lookups(self, request, model_admin):
        return [("yes", "Frozen")]

    def queryset(self, request, queryset):
        return queryset.filter(frozen_at__isnull=False) if self.value() == "yes" else queryset


@admin.register(Account)
class AccountAdmin(AccountScreen, OperationPages, RecordsAdmin):
    operations = OPERATIONS
    list_display = ["label", "of_business", "status_badge", "current", "held", "available"]
    list_filter = [BusinessFilter, "account_type", "status", FrozenFilter]
    list_filter += [date_filter("opened_at")]
    list_select_related = ["business"]
    ordering = ["-opened_at", "-pk"]
    search_fields = ["name", "business__legal_name", "business__email"]
    search_help_text = (
        "Last four digits of the number, business name, email, account or business id."
    )
    id_fields = ["external_id", "business__external_id"]
    inlines = [StatementInline, CardInline]
    headline_badge = AccountScreen.status_badge
    fieldsets = [
        fieldset(
            "Account",
            "account_type",
            "number",
            "routing_number",
            "status_badge",
            "primary",
            "credit_limit",
        ),
        aside("Lists", "records"),
        aside(
            "Record",
            "of_business",
            "external_id",
            "opened_at",
            "frozen_at",
            "closed_at",
            "closed_through",
        ),
    ]

    def get_search_fields(self, request):
        term = request.GET.get("q", "").strip()
        is_number = len(term) == LAST_FOUR and term.isdecimal()
        return ["account_number__endswith"] if is_number else self.search_fields

    def get_urls(self):
        return [self.page("entries", self.may_view_entries), *super().get_urls()]

    def may_view_entries(self, request):
        """Return whether the user may view the entries of the ledger."""
        return may_view(request, Account, Entry)

    def entries(self, request, account):
        """Show the ledger of the account a page at a time."""
        return self.show_page(
            request,
            "banking/account/entries",
            original=account,
            title="Entries",
            headline=account_name(account),
            page=EntriesPage.read(request, account),
        )

    def headline(self, account):
        return account_name(account)

    def tiles(self, _request, account):
        if account.business_id is None:
            return []
        return [
            ("Available", self.available(account)),
            ("Current", self.current(account)),
            ("Held for pending", self.held(account)),
        ]

    def tables(self, request, account):
        if not self.may_view_entries(request):
            return []
        newest = entries.list_entries(account)[:NEWEST]
        url = reverse("admin:banking_account_entries", args=[account.pk])
        more = format_html('<a href="{}">All entries</a>', url)
        return [entries_table(account, newest, title="Newest entries", more=more)]

    @admin.display(description="account", ordering="name")
    def label(self, account):
        return stack(account_name(account), account.get_account_type_display())

    @admin.display(description="of this account")
    def records(self, account):
        entries_url = reverse("admin:banking_account_entries", args=[account.pk])
        links = [format_html('<a href="{}">Entries</a>', entries_url)]
        if account.business_id:
            links.append(link_to_list(Transaction, "Transactions", account=account.pk))
        return cells.lines(links)


class AccountInline(AccountScreen, FactsInline):
    model = Account
    nothing = "No accounts yet."
    ordering = ["opened_at", "pk"]
    fields = ["account", "status_badge", "current", "held", "available", "opened"]

    @admin.display(description="account")
    def account(self, account):
        return stack(link_to_account(account), account.get_account_type_display())


class LinkedAccountInline(FactsInline):
    model = LinkedAccount
    verbose_name_plural = "accounts elsewhere"
    nothing = "No account at another institution is linked."
    ordering = ["institution_name", "pk"]
    fields = ["account", "account_type", "connection_badge", "synced"]
    connection_badge = cells.badge_of("connection_status", "connection")
    synced = cells.timestamp_of("last_synced_at", "last read")

    @admin.display(description="account")
    def account(self, linked):
        return stack(f"{linked.account_name} {linked.masked_number}", linked.institution_name)


def _kept(account, cents):
    """Return cents as HTML with dollars; "" for the bank's own accounts, which store no balance."""
    return amounts.amount(cents) if account.business_id else ""
