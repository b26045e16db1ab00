"""The first page of accountants: their clients, with a search and the accesses that wait."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from banking.choices import AccessStatus, UserType
from banking.models import Accountant
from banking.paging import Page
from banking.queries import accountants
from mcp_server.models import OPEN_CLIENTS
from mcp_server.pages.base_page import page_request
from mcp_server.pages.connected_assistants import CustomerView
from mcp_server.services import page_log

PAGE_SIZE = 20
SEARCH_MAX_CHARACTERS = 100


class Clients(CustomerView):
    """List the clients of the signed-in accountant; owners go on to their account."""

    def get(self, request: HttpRequest) -> HttpResponse:
        opened = page_request(request)
        if opened.user.user_type != UserType.ACCOUNTANT:
            return redirect("account")
        try:
            accountant = accountants.get_accountant(opened.user)
        except Accountant.DoesNotExist:  # the core has sent the user and not yet the accountant
            return render(request, "mcp_server/clients.html", {"counts": {}})
        search = request.GET.get("search", "")[:SEARCH_MAX_CHARACTERS].replace("\0", "").strip()
        chosen = request.GET.get("status", "")
        status = AccessStatus(chosen) if chosen in AccessStatus.values else None
        found = accountants.search_clients(
            accountant,
            search=search,
            status=status,
            page=_number(request.GET.get("page")),
            page_size=PAGE_SIZE,
        )
        if found.items:
            _log(opened, found)
        context = {
            "clients": found,
            "search": search,
            "status": status,
            "counts": accountants.count_clients(accountant),
        }
        return render(request, "mcp_server/clients.html", context)


def _log(opened: page_log.PageRequest, found: Page[accountants.Client]) -> None:
    shown = [client.business_id for client in found.items]
    page_log.record(opened, OPEN_CLIENTS, business_ids=shown)


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else 0
