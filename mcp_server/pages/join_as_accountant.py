"""The sign-up of a new accountant by the link of an invitation."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import View

from banking.models import Accountant, AccountantInvitation, Firm, User
from banking.services import accountant_invitations
from mcp_server.pages import enrolment
from mcp_server.pages.welcome import BACKEND, FirstPasswordForm

LINK = "accountant_invitation"  # in the session: the token of the link
HIDDEN = "sign-up"  # stands in the address where the token was


class SignUpForm(FirstPasswordForm):
    """The names of an accountant and the firm, and the first password twice.

    The form does not ask for the name of the firm if a firm has invited its colleague.
    """

    first_name = forms.CharField(
        label=gettext_lazy("First name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "given-name"}),
    )
    last_name = forms.CharField(
        label=gettext_lazy("Last name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "family-name"}),
    )
    firm_name = forms.CharField(
        label=gettext_lazy("Name of your firm"),
        max_length=255,
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    field_order = ["first_name", "last_name", "firm_name", "new_password1", "new_password2"]

    def __init__(self, invitation: AccountantInvitation, *args: Any) -> None:
        super().__init__(User(email=invitation.email), *args)
        self.firm = invitation.firm
        if self.firm:
            del self.fields["firm_name"]

    def clean(self) -> dict[str, Any] | None:
        """Check the password against the names, too."""
        for name in ("first_name", "last_name"):
            setattr(self.user, name, self.cleaned_data.get(name, ""))
        firm = self.firm or Firm(name=self.cleaned_data.get("firm_name", ""))
        Accountant(user=self.user, firm=firm)  # not saved
        return super().clean()


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class Join(View):
    """Ask an invited person for names and a password, and sign the new accountant in.

    A redirect removes the token from the address.
    """

    def get(self, request: HttpRequest, external_id: UUID, token: str) -> HttpResponse:
        if token != HIDDEN:
            request.session[LINK] = token
            return redirect("join_as_accountant", external_id=external_id, token=HIDDEN)
        invitation = self._find(request, external_id)
        form = SignUpForm(invitation) if invitation else None
        return self._page(request, invitation, form)

    def post(self, request: HttpRequest, external_id: UUID, token: str) -> HttpResponse:
        invitation = self._find(request, external_id)
        if invitation is None:
            return self._page(request, None, None)
        form = SignUpForm(invitation, request.POST)
        if not form.is_valid():
            return self._page(request, invitation, form)
        try:
            user = accountant_invitations.sign_up(
                external_id,
                request.session[LINK],
                **{name: form.cleaned_data.get(name, "") for name in form.field_order[:3]},
                password=form.cleaned_data["new_password1"],
                at=timezone.now(),
            )
        except accountant_invitations.InvitationClosed:  # in another window, just now
            return self._page(request, None, None)
        del request.session[LINK]
        login(request, user, backend=BACKEND)
        enrolment.permit(request)  # the link came by mail
        messages.success(request, _("Welcome. Your password is saved, and you are signed in."))
        return redirect("clients")

    def _find(self, request: HttpRequest, external_id: UUID) -> AccountantInvitation | None:
        token = request.session.get(LINK, "")
        return accountant_invitations.find_open(external_id, token, at=timezone.now())

    def _page(
        self,
        request: HttpRequest,
        invitation: AccountantInvitation | None,
        form: SignUpForm | None,
    ) -> HttpResponse:
        context = {"invitation": invitation, "form": form}
        return render(request, "mcp_server/join_as_accountant.html", context)
