"""The page on which users change how much a connected assistant may read."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mcp_server.models import Connection
from mcp_server.oauth import clients
from mcp_server.oauth.limits_form import ConnectionLimitsForm
from mcp_server.pages.base_page import CustomerView, signed_in
from mcp_server.queries import connections as queries
from mcp_server.scopes import Scope
from mcp_server.services import connections as services


class ChangeLimits(CustomerView):
    """Show and set the limits of a connection. They apply from its next request."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        connection = _own_live(request, pk)
        return _page(request, connection, _form(request, connection))

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        connection = _own_live(request, pk)
        form = _form(request, connection)
        if not form.is_valid():
            return _page(request, connection, form)
        services.set_limits(connection, form.chosen_limits(), at=timezone.now())
        message = _("The limits for %(name)s are saved. They apply from its next request.")
        messages.success(request, message % {"name": clients.clean_name(connection.client_name)})
        return redirect(reverse("connected_assistants"))


def _own_live(request: HttpRequest, pk: int) -> Connection:
    """Return a connection of the user that has not ended. Raises: Http404."""
    try:
        connection = queries.get_connection(signed_in(request), pk)
    except Connection.DoesNotExist:
        raise Http404 from None
    if connection.is_over(on=timezone.now().date()):
        raise Http404
    return connection


def _form(request: HttpRequest, connection: Connection) -> ConnectionLimitsForm:
    form = ConnectionLimitsForm(
        request.POST if request.method == "POST" else None,
        user=signed_in(request),
        connection=connection,
    )
    form.initial["shows_numbers"] = queries.holds_scope(
        connection, Scope.ACCOUNT_NUMBERS, at=timezone.now()
    )
    return form


def _page(request: HttpRequest, connection: Connection, form: ConnectionLimitsForm) -> HttpResponse:
    name = clients.clean_name(connection.client_name)
    context = {"connection": connection, "name": name, "form": form}
    status = 400 if form.errors else 200
    return render(request, "mcp_server/connection_limits.html", context, status=status)
