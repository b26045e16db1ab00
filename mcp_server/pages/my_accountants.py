"""The accountants of an owner's business: invitations, levels, last looks, ends of access."""

from datetime import date, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from banking.choices import AccessLevel, AccessStatus
from banking.days import DAY, LATEST, midnight
from banking.models import AccountantInvitation, Business, BusinessOwner, User
from banking.queries import profiles
from banking.services import accountant_invitations
from banking.transitions import InvalidTransition
from foundation.throttling import rate_limits
from mcp_server.pages.base_page import CustomerView, page_request, signed_in
from mcp_server.queries import client_accesses as queries
from mcp_server.queries.client_accesses import GivenAccess
from mcp_server.services import accountant_invitations as invitation_mails
from mcp_server.services import client_accesses as services
from mcp_server.services import second_factor


class InviteForm(forms.Form):
    """The address of an accountant, the level of the access, and perhaps its last day."""

    email = forms.EmailField(
        label=gettext_lazy("Email address of the accountant"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    level = forms.ChoiceField(
        label=gettext_lazy("The accountant sees"),
        choices=[
            (AccessLevel.FULL.value, gettext_lazy("Everything")),
            (AccessLevel.STATEMENTS_ONLY.value, gettext_lazy("Statements only")),
        ],
    )
    last_day = forms.DateField(
        label=gettext_lazy("Last day (optional)"),
        required=False,
        help_text=gettext_lazy("The access ends by itself after this day, at midnight UTC."),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )

    def clean_last_day(self) -> date | None:
        last_day: date | None = self.cleaned_data["last_day"]
        if last_day and not timezone.now().date() <= last_day < LATEST:
            raise forms.ValidationError(_("Choose today or a later day."), code="past")
        return last_day

    @property
    def ends_at(self) -> datetime | None:
        """Return the end of the last day, midnight in UTC; None if no last day was given."""
        last_day = self.cleaned_data["last_day"]
        return midnight(last_day + DAY) if last_day else None


class MyAccountants(CustomerView):
    """List the accountants with access, invitations, and ended accesses; invite an accountant."""

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            return self._page(request, InviteForm())
        except PermissionDenied:
            status = HTTPStatus.FORBIDDEN
            return render(request, "mcp_server/accountants_refused.html", status=status)

    def post(self, request: HttpRequest) -> HttpResponse:
        business = _business(signed_in(request))
        if second_factor.is_missing_for_assistants(signed_in(request)):
            after = urlencode({"next": reverse("my_accountants")})
            return redirect(f"{reverse('second_factor')}?{after}")
        form = InviteForm(request.POST)
        if not form.is_valid() or not _invite(request, business, form):
            return self._page(request, form)
        message = _("We have sent an invitation to %(email)s.")
        messages.success(request, message % {"email": form.cleaned_data["email"].lower()})
        return redirect("my_accountants")

    def _page(self, request: HttpRequest, form: InviteForm) -> HttpResponse:
        user, at = signed_in(request), page_request(request).at
        business = _business(user)
        accesses = queries.list_accesses(business, at=at)
        invitations = business.accountant_invitations.pending().order_by("-invited_at", "-pk")
        context: dict[str, Any] = {
            "form": form,
            "lacks_second_factor": second_factor.is_missing_for_assistants(user),
            "accesses": [one for one in accesses if one.status != AccessStatus.REVOKED],
            "ended": [one for one in accesses if one.status == AccessStatus.REVOKED],
            "invitations": [(one, one.is_open(at)) for one in invitations],
        }
        return render(request, "mcp_server/my_accountants.html", context)


class SendInvitationAgain(CustomerView):
    """Mail an invitation again, with a new link."""

    def post(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        invitation = _own_invitation(request, external_id)
        if second_factor.is_missing_for_assistants(signed_in(request)):
            raise PermissionDenied
        try:
            invitation_mails.send_again(invitation, at=page_request(request).at)
        except rate_limits.RateLimited as exc:
            messages.error(request, too_many_invitations(exc))
        except accountant_invitations.InvitationClosed:
            messages.info(request, _("This invitation can no longer be sent."))
        else:
            message = _("We have sent an invitation to %(email)s.")
            messages.success(request, message % {"email": invitation.email})
        return redirect("my_accountants")


class WithdrawInvitation(CustomerView):
    """Withdraw an invitation, whose link then works no longer."""

    def post(self, request: HttpRequest, external_id: UUID) -> HttpResponse:
        invitation = _own_invitation(request, external_id)
        try:
            accountant_invitations.withdraw(invitation, at=page_request(request).at)
        except accountant_invitations.InvitationClosed:  # accepted, just now
            messages.info(request, _("This invitation was accepted or withdrawn already."))
        else:
            message = _("You have withdrawn the invitation of %(email)s.")
            messages.success(request, message % {"email": invitation.email})
        return redirect("my_accountants")


class EndClientAccess(CustomerView):
    """Ask whether the access of a firm of accountants shall end, and end it."""

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


def _invite(request: HttpRequest, business: Business, form: InviteForm) -> bool:
    """Invite the accountant of a valid form; if refused, add an error to it and return False."""
    try:
        invitation_mails.invite(
            business,
            email=form.cleaned_data["email"],
            level=AccessLevel(form.cleaned_data["level"]),
            ends_at=form.ends_at,
            by=signed_in(request),
            at=page_request(request).at,
        )
    except rate_limits.RateLimited as exc:
        form.add_error(None, too_many_invitations(exc))
    except accountant_invitations.OwnAddress:
        form.add_error("email", _("This is your own email address."))
    except accountant_invitations.HasAccess:
        form.add_error("email", _("This accountant already has access."))
    except accountant_invitations.AlreadyInvited:
        form.add_error("email", _("You have invited this address already. See below."))
    return form.is_valid()


def too_many_invitations(exc: rate_limits.RateLimited) -> str:
    """Return the text that says when the next invitation can be sent."""
    minutes = -(-exc.usage.reset_seconds // 60)
    message = ngettext(
        "Too many invitations were sent. Try again in %(minutes)d minute.",
        "Too many invitations were sent. Try again in %(minutes)d minutes.",
        minutes,
    )
    return message % {"minutes": minutes}


def _own(request: HttpRequest, pk: int) -> GivenAccess:
    found = queries.list_accesses(_business(signed_in(request)), at=page_request(request).at)
    given = next((one for one in found if one.access.pk == pk), None)
    if given is None:
        raise Http404
    return given


def _own_invitation(request: HttpRequest, external_id: UUID) -> AccountantInvitation:
    business = _business(signed_in(request))
    found = business.accountant_invitations.filter(external_id=external_id)
    invitation = found.select_related("business").first()
    if invitation is None:
        raise Http404
    return invitation


def _business(user: User) -> Business:
    """Return the business whose accountants the user sees.

    Raises: Http404 for users who own no business, PermissionDenied for owners without full access.
    """
    try:
        owner = profiles.get_owner(user)
    except BusinessOwner.DoesNotExist:
        raise Http404 from None
    if not owner.has_full_access:
        raise PermissionDenied
    return owner.business
