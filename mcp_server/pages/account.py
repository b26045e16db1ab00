"""The first page after the sign-in: balances, latest transactions and papers.

Owners without full access see the profile of the business and the papers.
"""

from datetime import datetime
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from banking.choices import AccessStatus, AccountType, BusinessType, UserType
from banking.models import Account, Business, BusinessOwner
from banking.money import usd_text
from banking.queries import accounts, profiles, receipts, statements, taxes
from banking.queries.filters import TransactionFilter
from banking.queries.search import FoundTransaction, search_transactions
from banking.us_states import state_name
from mcp_server.pages.base_page import CustomerView, page_request
from mcp_server.queries import client_accesses, connections
from mcp_server.queries.connections import State
from mcp_server.services import page_log

TRANSACTIONS, STATEMENTS, TAX_STATEMENTS = 8, 6, 3  # that the page shows
BUSINESS_TYPES: Final[dict[BusinessType, Promise]] = {  # as the application names them
    BusinessType.DBA: _("Sole proprietor with a business name (DBA)"),
    BusinessType.LLC: _("LLC with one owner"),
    BusinessType.MMLLC: _("LLC with several owners"),
    BusinessType.GENERAL_PARTNERSHIP: _("General partnership"),
    BusinessType.LLP: _("Limited liability partnership (LLP)"),
    BusinessType.S_CORP: _("S corporation"),
    BusinessType.SSN: _("Sole proprietor"),
    BusinessType.C_CORP: _("C corporation"),
}


class AccountHome(CustomerView):
    """Show the business of the signed-in owner; accountants go on to their clients."""

    def get(self, request: HttpRequest) -> HttpResponse:
        opened = page_request(request)
        if opened.user.user_type == UserType.ACCOUNTANT:
            return redirect("clients")
        try:
            owner = profiles.get_owner(opened.user)
        except BusinessOwner.DoesNotExist:
            return render(request, "mcp_server/account.html")
        business = owner.business
        assistants = connections.list_assistants(opened.user, at=opened.at)
        context: dict[str, Any] = {
            "business": business,
            "statements": statements.list_statements(business)[:STATEMENTS],
            "tax_statements": taxes.list_tax_statements(business)[:TAX_STATEMENTS],
            "assistants": [one for one in assistants if one.state != State.ENDED],
            "has_full_access": owner.has_full_access,
        }
        if owner.has_full_access:
            context |= _records(business, at=opened.at)
        else:
            context["owners"] = profiles.list_owners(business)
            context["formation_state"] = state_name(business.incorporation_state)
            context["business_type"] = BUSINESS_TYPES[BusinessType(business.business_type)]
        page_log.record(opened, page_log.HOME, business_ids=[business.pk])
        return render(request, "mcp_server/account.html", context)


def _records(business: Business, *, at: datetime) -> dict[str, Any]:
    """Return the records that owners with full access see besides the statements."""
    found = search_transactions(business, TransactionFilter(), page=1, page_size=TRANSACTIONS)
    ids = [one.external_id for one in found.transactions]
    with_receipts = receipts.find_with_receipts(business, ids)
    accesses = client_accesses.list_accesses(business, at=at)
    return {
        "accounts": [_account(one) for one in accounts.list_accounts(business).open()],
        "transactions": [
            _transaction(one) | {"has_receipt": one.external_id in with_receipts}
            for one in found.transactions
        ],
        "accesses": [given for given in accesses if given.status != AccessStatus.REVOKED],
    }


def _account(account: Account) -> dict[str, Any]:
    """Return an account as the page shows it; the booked balance only where it differs."""
    is_equal = account.current_cents == account.available_cents
    return {
        "name": account.name,
        "number": account.masked_number,
        "available": usd_text(account.available_cents),
        "balance": "" if is_equal else usd_text(account.current_cents),
        "is_frozen": account.is_frozen,
        "is_for_taxes": account.account_type == AccountType.TAX_BUCKET,
    }


def _transaction(found: FoundTransaction) -> dict[str, Any]:
    return {
        "external_id": found.external_id,
        "at": found.occurred_at,
        "text": found.merchant_name or found.description,
        "number": f"••••{found.account_number[-4:]}",
        "amount": usd_text(found.amount_cents),
        "is_pending": found.is_pending,
    }
