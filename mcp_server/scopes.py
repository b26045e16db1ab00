"""OAuth scopes: the parts of the data that an assistant may read."""

from django.db.models import TextChoices
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import AbstractApplication
from oauth2_provider.scopes import BaseScopes


class Scope(TextChoices):
    """A part of the bank's data: the value is the OAuth scope, the label the consent text."""

    ACCOUNTS = "accounts:read", _("See your accounts, balances and linked accounts at other banks")
    TRANSACTIONS = (
        "transactions:read",
        _("See your transactions, receipts, and totals of money in and out"),
    )
    INVOICES = "invoices:read", _("See the invoices you sent and your saved items")
    BILLS = "bills:read", _("See your bills, their attachments and the suppliers you pay")
    CARDS = "cards:read", _("See your cards, but never their full numbers")
    TAX = "tax:read", _("See tax estimates and your tax bucket")
    STATEMENTS = "statements:read", _("Download statements, tax statements and reports")
    PROFILE = "profile:read", _("See your profile, and your business's profile, owners and plan")
    CLIENTS = "clients:read", _("See your clients and referrals, and choose a client")
    ACCOUNT_NUMBERS = (
        "account-numbers:read",
        _("See full account numbers, and download letters that show them"),
    )


SENSITIVE = {Scope.ACCOUNT_NUMBERS}  # under a heading of its own, and not ticked at first
OPEN_TO_PARTNERS = {  # owners without full access
    Scope.PROFILE,
    Scope.STATEMENTS,
    Scope.ACCOUNT_NUMBERS,
}


class ToolScopes(BaseScopes):
    """The scopes backend of the OAuth toolkit, from `Scope`."""

    def get_all_scopes(self) -> dict[str, str]:
        return {scope.value: str(scope.label) for scope in Scope}

    def get_available_scopes(
        self,
        application: AbstractApplication | None = None,
        request: HttpRequest | None = None,
        *args: object,
        **kwargs: object,
    ) -> list[str]:
        return list(Scope.values)

    def get_default_scopes(
        self,
        application: AbstractApplication | None = None,
        request: HttpRequest | None = None,
        *args: object,
        **kwargs: object,
    ) -> list[str]:
        """Return all scopes; on the consent page the user can leave some out."""
        return list(Scope.values)
