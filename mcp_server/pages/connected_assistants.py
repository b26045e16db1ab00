"""The page of connected assistants: their scopes, their calls, and how to end access."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from banking.paging import Page
from mcp_server.models import Connection
from mcp_server.pages.activity import OUTCOMES, ActivityForm, title_of
from mcp_server.pages.base_page import CustomerView, signed_in
from mcp_server.pages.charts import draw_days
from mcp_server.queries import activity
from mcp_server.queries import connections as queries
from mcp_server.queries.connections import ConnectedAssistant, State
from mcp_server.services import connections as services
from mcp_server.services.page_log import PAGES

PAGE_SIZE = 25
CARDS_ON_A_PAGE = 10
OPEN_CARDS = 2  # of more assistants, each shows its name until it is opened
SEARCH_MAX_CHARACTERS = 100


class ConnectedAssistants(CustomerView):
    """Show the connected assistants of the user and their calls."""

    def get(self, request: HttpRequest) -> HttpResponse:
        user = signed_in(request)
        assistants = queries.list_assistants(user, at=timezone.now())
        form = ActivityForm(request.GET or None, user=user, assistants=assistants)
        calls = activity.list_calls(
            user, form.wanted(), page=_number(request.GET.get("page")), page_size=PAGE_SIZE
        )
        context = {
            **_cards(request, [one for one in assistants if one.state != State.ENDED]),
            "ended": [one for one in assistants if one.state == State.ENDED],
            "form": form,
            "filters": urlencode({name: value for name, value in form.chosen().items() if value}),
            "calls": calls,
            "months": settings.ACCESS_LOG_MONTHS,
            "rows": [
                (call, title_of(call.tool), call.tool in PAGES, OUTCOMES[call.outcome])
                for call in calls.items
            ],
        }
        return render(request, "mcp_server/connected_assistants.html", context)


class Pause(CustomerView):
    """Pause an assistant of the user: it reads nothing until it is resumed."""

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        connection = _own(request, pk)
        services.pause(connection, at=timezone.now())
        message = _("%(name)s is paused. It cannot read anything until you resume its access.")
        return _back(request, message % {"name": connection.client_name})


class Resume(CustomerView):
    """Let a paused assistant of the user read again."""

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        connection = _own(request, pk)
        services.resume(connection)
        return _back(
            request, _("%(name)s can read your data again.") % {"name": connection.client_name}
        )


class End(CustomerView):
    """Ask whether an assistant's access shall end, and end it."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        return render(request, "mcp_server/end_access.html", {"connection": _own(request, pk)})

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        connection = _own(request, pk)
        services.end(connection, at=timezone.now())
        message = _("You have removed access for %(name)s.")
        return _back(request, message % {"name": connection.client_name})


class EndAll(CustomerView):
    """Ask whether the access of all assistants of the user shall end, and end it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "mcp_server/end_access.html")

    def post(self, request: HttpRequest) -> HttpResponse:
        services.end_all(signed_in(request), at=timezone.now())
        return _back(request, _("You have removed access for all assistants."))


def _own(request: HttpRequest, pk: int) -> Connection:
    try:
        return queries.get_connection(signed_in(request), pk)
    except Connection.DoesNotExist:
        raise Http404 from None


def _back(request: HttpRequest, message: str) -> HttpResponse:
    messages.success(request, message)
    return redirect(reverse("connected_assistants"))


def _cards(request: HttpRequest, assistants: list[ConnectedAssistant]) -> dict[str, Any]:
    """Return the template variables for a page of the assistants that match the search.

    The searched text is part of the name or the host.
    """
    search = request.GET.get("search", "")[:SEARCH_MAX_CHARACTERS].strip()
    wanted = search.casefold()
    found = [one for one in assistants if wanted in f"{one.client_name} {one.host}".casefold()]
    last = max(len(found) - 1, 0) // CARDS_ON_A_PAGE
    page = min(_number(request.GET.get("cards")), last)
    first = page * CARDS_ON_A_PAGE
    shown = found[first : first + CARDS_ON_A_PAGE]
    return {
        "assistants": [(one, draw_days(one.calls_per_day)) for one in shown],
        "has_assistants": bool(assistants),
        "are_open": len(assistants) <= OPEN_CARDS,
        "is_searchable": len(assistants) > CARDS_ON_A_PAGE,
        "search": search,
        "cards": Page(shown, page, CARDS_ON_A_PAGE, len(found)),
    }


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else 0
