"""The page of connected assistants: their scopes, their calls, and how to end access."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.generic import View

from mcp_server.errors import ErrorCode
from mcp_server.models import ANSWERED, Connection
from mcp_server.pages.base_page import signed_in
from mcp_server.pages.charts import draw_days
from mcp_server.queries import connections as queries
from mcp_server.queries.connections import ConnectedAssistant, State
from mcp_server.registry import TOOLS
from mcp_server.services import connections as services
from mcp_server.services.page_log import PAGES

PAGE_SIZE = 25
OUTCOMES = {  # the texts of the calls' outcomes
    ANSWERED: gettext_lazy("Answered"),
    ErrorCode.AUTHENTICATION_REQUIRED: gettext_lazy("Not signed in"),
    ErrorCode.ACCESS_DENIED: gettext_lazy("Not allowed"),
    ErrorCode.INVALID_PARAMETER: gettext_lazy("Invalid request"),
    ErrorCode.NOT_FOUND: gettext_lazy("Not found"),
    ErrorCode.RATE_LIMITED: gettext_lazy("Too many requests"),
    ErrorCode.INTERNAL_ERROR: gettext_lazy("Failed"),
}


@method_decorator(never_cache, name="dispatch")
class CustomerView(LoginRequiredMixin, View):
    """A page for customers; staff, who have no data of their own, see a message."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.user.is_authenticated and request.user.is_staff:
            status = HTTPStatus.FORBIDDEN
            return render(request, "mcp_server/not_for_staff.html", status=status)
        return super().dispatch(request, *args, **kwargs)


class ConnectedAssistants(CustomerView):
    """Show the connected assistants of the user and their calls."""

    def get(self, request: HttpRequest) -> HttpResponse:
        user = signed_in(request)
        assistants = queries.list_assistants(user, at=timezone.now())
        chosen = _chosen(request, assistants)
        calls = queries.list_calls(
            user, of=chosen, page=_number(request.GET.get("page")), page_size=PAGE_SIZE
        )
        shown = [(one, draw_days(one.calls_per_day)) for one in assistants]
        context = {
            "assistants": [pair for pair in shown if pair[0].state != State.ENDED],
            "ended": [one for one in assistants if one.state == State.ENDED],
            "all_assistants": assistants,
            "chosen": chosen,
            "calls": calls,
            "rows": [
                (call, _title(call.tool), PAGES.get(call.tool), OUTCOMES[call.outcome])
                for call in calls.items
            ],
        }
        return render(request, "mcp_server/connected_assistants.html", context)


class Pause(CustomerView):
    """Let an assistant read nothing for now."""

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        connection = _own(request, pk)
        services.pause(connection, at=timezone.now())
        message = _("%(name)s is paused. It cannot read anything until you resume its access.")
        return _back(request, message % {"name": connection.client_name})


class Resume(CustomerView):
    """Let a paused assistant go on."""

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
    """Ask whether every access shall end, and end it."""

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


def _chosen(request: HttpRequest, assistants: list[ConnectedAssistant]) -> Connection | None:
    """Return whose calls alone are asked for; somebody else's, or nonsense, is as good as none."""
    pk = _number(request.GET.get("assistant"))
    return next((one.connection for one in assistants if one.connection.pk == pk), None)


def _title(tool: str) -> str:
    return TOOLS[tool].title if tool in TOOLS else tool


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else 0
