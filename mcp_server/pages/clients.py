"""The first page of accountants, their clients, and the acceptance of invitations and terms."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from banking.choices import AccessStatus, UserType
from banking.models import Accountant, ClientAccess
from banking.paging import Page
from banking.queries import accountants
from banking.services import accountant_invitations, firms
from foundation import external_ids
from mcp_server.models import ACCEPT_INVITATION, OPEN_CLIENTS
from mcp_server.pages.base_page import CustomerView, page_request
from mcp_server.services import accountant_invitations as invitation_mails
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
            at=opened.at,
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
            "counts": accountants.count_clients(accountant, at=opened.at),
            "owes_terms": accountant.terms_accepted_at is None
            and accountant.firm.accesses.connected(at=opened.at).exists(),
        }
        return render(request, "mcp_server/clients.html", context)


class AcceptInvitation(CustomerView):
    """Show the terms of service in force, and accept them with a client's invitation."""

    def get(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        return self._page(request, _waiting(request, external_id))

    def post(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        opened, access = page_request(request), _waiting(request, external_id)
        shown = map(external_ids.parse, request.POST.getlist("terms"))
        try:
            accountant_invitations.accept(access, shown=shown, by=opened.user, at=opened.at)
        except accountant_invitations.TermsChanged:
            messages.warning(request, _("The terms have changed. Read them again."))
            return self._page(request, access)
        except accountant_invitations.InvitationClosed:  # withdrawn, just now
            raise Http404 from None
        page_log.record(opened, ACCEPT_INVITATION, business_ids=[access.business_id])
        name = {"name": access.business.legal_name}
        messages.success(request, _("You now have access to %(name)s.") % name)
        return redirect("clients")

    def _page(self, request: HttpRequest, access: ClientAccess) -> HttpResponse:
        return _terms_page(request, access=access)


class DeclineInvitation(CustomerView):
    """End the invitation of a client, whose owner is told by mail."""

    def post(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        access, at = _waiting(request, external_id), page_request(request).at
        try:
            invitation_mails.decline(access, at=at)
        except accountant_invitations.InvitationClosed:  # accepted or withdrawn, just now
            raise Http404 from None
        name = {"name": access.business.legal_name}
        messages.success(request, _("You have declined the invitation of %(name)s.") % name)
        return redirect("clients")


class AcceptTerms(CustomerView):
    """Show the terms of service in force, and accept them for the signed-in accountant."""

    def get(self, request: HttpRequest) -> HttpResponse:
        find_accountant(request)
        return _terms_page(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        shown = map(external_ids.parse, request.POST.getlist("terms"))
        try:
            firms.accept_terms(find_accountant(request), shown=shown, at=page_request(request).at)
        except accountant_invitations.TermsChanged:
            messages.warning(request, _("The terms have changed. Read them again."))
            return _terms_page(request)
        messages.success(request, _("You have accepted the terms of service."))
        return redirect("clients")


def find_accountant(request: HttpRequest) -> Accountant:
    """Return the accountant that the signed-in user is. Raises: Http404."""
    try:
        return accountants.get_accountant(page_request(request).user)
    except Accountant.DoesNotExist:
        raise Http404 from None


def _terms_page(request: HttpRequest, *, access: ClientAccess | None = None) -> HttpResponse:
    terms = accountants.list_terms(at=page_request(request).at)
    context = {"access": access, "terms": terms}
    return render(request, "mcp_server/accept_invitation.html", context)


def _waiting(request: HttpRequest, external_id: UUID) -> ClientAccess:
    accountant = find_accountant(request)
    try:
        return accountants.get_waiting_access(accountant, external_id, at=page_request(request).at)
    except accountants.NoAccess:
        raise Http404 from None


def _log(opened: page_log.PageRequest, found: Page[accountants.Client]) -> None:
    shown = [client.business_id for client in found.items]
    page_log.record(opened, OPEN_CLIENTS, business_ids=shown)


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else 0
