"""The firm of an accountant: its people, invitations of colleagues, and removals."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from banking.models import Accountant, AccountantInvitation
from banking.services import accountant_invitations, firms
from foundation.throttling import rate_limits
from mcp_server.pages.base_page import CustomerView, page_request, signed_in
from mcp_server.pages.clients import find_accountant
from mcp_server.pages.my_accountants import too_many_invitations
from mcp_server.services import accountant_invitations as invitation_mails
from mcp_server.services import firms as services
from mcp_server.services import second_factor


class ColleagueForm(forms.Form):
    """The address of a colleague."""

    email = forms.EmailField(
        label=gettext_lazy("Email address of the colleague"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )


class MyFirm(CustomerView):
    """List the people of the firm and the invitations; managers invite a colleague."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request, ColleagueForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        accountant = _manager(request)
        if second_factor.is_missing_for_assistants(signed_in(request)):
            after = urlencode({"next": reverse("my_firm")})
            return redirect(f"{reverse('second_factor')}?{after}")
        form = ColleagueForm(request.POST)
        if not form.is_valid() or not _invite(request, accountant, form):
            return self._page(request, form)
        email = {"email": form.cleaned_data["email"].lower()}
        messages.success(request, _("We have sent an invitation to %(email)s.") % email)
        return redirect("my_firm")

    def _page(self, request: HttpRequest, form: ColleagueForm) -> HttpResponse:
        accountant, at = find_accountant(request), page_request(request).at
        firm, email = accountant.firm, accountant.user.email
        people = firm.people.filter(user__is_active=True)
        sent = firm.invitations.pending().select_related("invited_by")
        received = AccountantInvitation.objects.open(at=at).filter(email=email, business=None)
        context: dict[str, Any] = {
            "form": form,
            "accountant": accountant,
            "may_manage": firms.may_manage(accountant),
            "lacks_second_factor": second_factor.is_missing_for_assistants(accountant.user),
            "people": people.select_related("user", "invitation__invited_by").order_by("pk"),
            "invitations": [(one, one.is_open(at)) for one in sent.order_by("-invited_at", "-pk")],
            "received": received.select_related("firm", "invited_by").order_by("pk"),
        }
        return render(request, "mcp_server/my_firm.html", context)


class ColleagueInvitation(CustomerView):
    """Mail an invitation of the firm again, or withdraw it."""

    def post(self, request: HttpRequest, external_id: UUID, step: str) -> HttpResponse:
        found = _manager(request).firm.invitations.select_related("firm", "invited_by")
        invitation = get_object_or_404(found, external_id=external_id)
        at, email = page_request(request).at, {"email": invitation.email}
        try:
            if step == "withdraw":
                accountant_invitations.withdraw(invitation, at=at)
                text = _("You have withdrawn the invitation of %(email)s.")
            elif step == "send" and not second_factor.is_missing_for_assistants(signed_in(request)):
                invitation_mails.send_again(invitation, at=at)
                text = _("We have sent an invitation to %(email)s.")
            else:
                raise Http404
        except rate_limits.RateLimited as exc:
            messages.error(request, too_many_invitations(exc))
        except accountant_invitations.InvitationClosed:  # in another window, just now
            messages.info(request, _("This invitation was accepted or withdrawn already."))
        else:
            messages.success(request, text % email)
        return redirect("my_firm")


class JoinFirm(CustomerView):
    """Let an accountant accept the invitation of a firm."""

    def post(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        accountant = find_accountant(request)
        try:
            firm = firms.join(accountant, external_id, at=page_request(request).at)
        except firms.HasFirm:
            messages.error(request, _("You cannot join: your own firm has colleagues or clients."))
        except accountant_invitations.InvitationClosed:
            messages.info(request, _("This invitation is no longer open."))
        else:
            messages.success(request, _("You now work for %(name)s.") % {"name": firm.name})
        return redirect("my_firm")


class MakeManager(CustomerView):
    """Let a colleague manage the firm, too."""

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        accountant = _manager(request)
        person = _colleague(accountant, pk)
        try:
            firms.make_manager(person, by=accountant)
        except Accountant.DoesNotExist:  # removed just now
            raise Http404 from None
        messages.success(request, _("%(name)s is a manager now.") % {"name": _name(person)})
        return redirect("my_firm")


class Remove(CustomerView):
    """Ask whether a person shall be removed from the firm, and remove the person."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        accountant = _manager(request)
        person = _colleague(accountant, pk)
        context = {"person": person, "name": _name(person), "is_self": person == accountant}
        return render(request, "mcp_server/remove_colleague.html", context)

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        accountant = _manager(request)
        try:
            person = accountant.firm.people.select_related("user").get(pk=pk)
            services.remove(person, by=accountant, at=page_request(request).at)
        except Accountant.DoesNotExist:  # in another window, just now
            messages.info(request, _("This person does not work for your firm."))
        except firms.LastManager:
            messages.error(request, _("Make a colleague a manager before you leave."))
        else:
            text = _("%(name)s no longer works for your firm.")
            messages.success(request, text % {"name": _name(person)})
        return redirect("my_firm")


def _invite(request: HttpRequest, accountant: Accountant, form: ColleagueForm) -> bool:
    """Invite the colleague of a valid form; if refused, add an error to it and return False."""
    try:
        email = form.cleaned_data["email"]
        services.invite(accountant, email=email, at=page_request(request).at)
    except rate_limits.RateLimited as exc:
        form.add_error(None, too_many_invitations(exc))
    except accountant_invitations.OwnAddress:
        form.add_error("email", _("This is your own email address."))
    except accountant_invitations.HasAccess:
        form.add_error("email", _("This person works for your firm already."))
    except accountant_invitations.AlreadyInvited:
        form.add_error("email", _("You have invited this address already. See below."))
    return form.is_valid()


def _manager(request: HttpRequest) -> Accountant:
    """Return the signed-in accountant, who must manage the firm.

    Raises: Http404 for users who are no accountants, PermissionDenied for other accountants.
    """
    accountant = find_accountant(request)
    if not firms.may_manage(accountant):
        raise PermissionDenied
    return accountant


def _colleague(accountant: Accountant, pk: int) -> Accountant:
    return get_object_or_404(accountant.firm.people.select_related("user"), pk=pk)


def _name(person: Accountant) -> str:
    return person.user.get_full_name() or person.user.email
