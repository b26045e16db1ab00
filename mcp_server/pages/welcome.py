"""Welcome: an invited user chooses the first password and is signed in."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import INTERNAL_RESET_SESSION_TOKEN, PasswordResetConfirmView
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from banking.models import User
from banking.services import invitations
from mcp_server.pages import enrolment

BACKEND = "django.contrib.auth.backends.ModelBackend"


class FirstPasswordForm(SetPasswordForm):
    """The first password, twice."""

    new_password1, new_password2 = SetPasswordForm.create_password_fields(
        label1=gettext_lazy("Password"), label2=gettext_lazy("Confirm password")
    )


class Welcome(PasswordResetConfirmView):
    """Set the first password of an invited user. A redirect removes the token from the address.

    A used or expired link leads to the page that sends a new link.
    """

    form_class = FirstPasswordForm
    template_name = "mcp_server/welcome.html"
    token_generator = invitations.tokens
    success_url = reverse_lazy("account")

    def get_user(self, uidb64: UUID) -> User | None:  # type: ignore[override]  # as the path has it
        return invitations.find_user(uidb64)

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            password = form.cleaned_data["new_password1"]
            user = invitations.accept(form.user, password, at=timezone.now())
        except invitations.NotInvited:  # in another window, just now
            self.validlink = False
            return self.render_to_response(self.get_context_data())
        self.request.session.pop(INTERNAL_RESET_SESSION_TOKEN, None)
        login(self.request, user, backend=BACKEND)
        enrolment.permit(self.request)  # the link came by mail
        message = _("Welcome. Your password is saved, and you are signed in.")
        messages.success(self.request, message)
        return HttpResponseRedirect(reverse("admin:index") if user.is_staff else self.success_url)
