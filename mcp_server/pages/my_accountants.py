"""The accountants of an owner's business: their levels, their last looks, and how to end access."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from banking.choices import AccessStatus
from banking.models import Business, User
from banking.queries import profiles
from banking.transitions import InvalidTransition
from mcp_server.pages.base_page import page_request, signed_in
from mcp_server.pages.connected_assistants import CustomerView
from mcp_server.queries import client_accesses as queries
from mcp_server.queries.client_accesses import GivenAccess
from mcp_server.services import client_accesses as services


class MyAccountants(CustomerView):
    """List the accountants with access, and those whose access has ended."""

    def get(self, request: HttpRequest) -> HttpResponse:
        accesses = queries.list_accesses(_business(signed_in(request)))
        context = {
            "accesses": [one for one in accesses if one.access.status != AccessStatus.REVOKED],
            "ended": [one for one in accesses if one.access.status == AccessStatus.REVOKED],
        }
        return render(request, "mcp_server/my_accountants.html", context)


class EndClientAccess(CustomerView):
    """Ask whether an accountant's access shall end, and end it."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        return render(request, "mcp_server/end_client_access.html", {"given": _own(request, pk)})

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        given = _own(request, pk)
        try:
            services.end_access(given.access, at=page_request(request).at)
        except InvalidTransition:  # in another window, just now
            messages.info(request, _("This access has already ended."))
        else:
            name = {"name": given.name}
            messages.success(request, _("%(name)s no longer has access.") % name)
        return redirect("my_accountants")


def _own(request: HttpRequest, pk: int) -> GivenAccess:
    found = queries.list_accesses(_business(signed_in(request)))
    given = next((one for one in found if one.access.pk == pk), None)
    if given is None:
        raise Http404
    return given


def _business(user: User) -> Business:
    try:
        return profiles.get_business(user)
    except Business.DoesNotExist:
        raise Http404 from None
