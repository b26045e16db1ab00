"""Statements: the closed months of accounts, and their PDF files."""

from calendar import month_name

from django.contrib import admin

from banking.admin import amounts
from banking.admin.records import (
    AccountFilter,
    BusinessFilter,
    FileAdmin,
    account_link_of,
    account_name,
)
from banking.models import Statement
from foundation.backoffice.downloads import FileScreen
from foundation.backoffice.lists import date_filter, values_filter
from foundation.backoffice.screens import FactsInline, aside, fieldset, link_to, stack

MONTH = values_filter("month", lambda number: month_name[int(number)])


class StatementScreen(FileScreen):
    """Facts of a statement."""

    opening = amounts.amount_of("opening_cents")
    came = amounts.amount_of("in_cents", "money in")
    left = amounts.amount_of("out_cents", "money out")
    closing = amounts.amount_of("closing_cents")


@admin.register(Statement)
class StatementAdmin(StatementScreen, FileAdmin):
    list_display = ["label", "of_business", "came", "left", "closing", "file_link"]
    list_filter = [BusinessFilter, AccountFilter, "year", MONTH, "account__account_type"]
    list_filter += [date_filter("created_at")]
    list_select_related = ["business", "account"]
    ordering = ["-year", "-month", "-pk"]
    search_fields = ["business__legal_name", "business__email"]
    search_help_text = "Business name, email, statement, account or business id."
    id_fields = ["external_id", "account__external_id", "business__external_id"]
    of_account = account_link_of("account")
    fieldsets = [
        fieldset("Month", "opening", "came", "left", "closing", "transaction_count", "of_account"),
        fieldset("File", "file_link", "file_name", "size", "sha256"),
        aside("Record", "of_business", "external_id", "created_at"),
    ]

    def headline(self, statement):
        return f"{account_name(statement.account)}, {name_of_month(statement)}"

    @admin.display(description="statement", ordering="year")
    def label(self, statement):
        return stack(name_of_month(statement), account_name(statement.account))


class StatementInline(StatementScreen, FactsInline):
    model = Statement
    nothing = "No month has been closed yet."
    ordering = ["-year", "-month"]
    fields = ["month_link", "opening", "came", "left", "closing", "file_link"]

    @admin.display(description="month")
    def month_link(self, statement):
        return link_to(statement, name_of_month(statement))


def name_of_month(statement):
    """Return the month of a statement as a text, for example `May 2026`."""
    return f"{statement.first_day:%B %Y}"
