"""Statements: the closed months of accounts, and their PDF files."""

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
from foundation.backoffice.screens import FactsInline, aside, fieldset, link_to, stack


class StatementScreen(FileScreen):
    """Facts of a statement."""

    opening = amounts.amount_of("opening_cents")
    came = amounts.amount_of("in_cents", "money in")
    left = amounts.amount_of("out_cents", "money out")
    closing = amounts.amount_of("closing_cents")


@admin.register(Statement)
class StatementAdmin(StatementScreen, FileAdmin):
    list_display = ["label", "of_business", "came", "left", "closing", "file_link"]
    list_filter = [BusinessFilter, AccountFilter, "year", "month", "account__account_type"]
    list_filter += [("created_at", admin.DateFieldListFilter)]
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
        return f"{account_name(statement.account)}, {month_name(statement)}"

    @admin.display(description="statement", ordering="year")
    def label(self, statement):
        return stack(month_name(statement), account_name(statement.account))


class StatementInline(StatementScreen, FactsInline):
    model = Statement
    nothing = "No month has been closed yet."
    ordering = ["-year", "-month"]
    fields = ["month_link", "opening", "came", "left", "closing", "file_link"]

    @admin.display(description="month")
    def month_link(self, statement):
        return link_to(statement, month_name(statement))


def month_name(statement):
    """Return the month as people call it."""
    return f"{statement.first_day:%B %Y}"
