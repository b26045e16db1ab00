"""Password reset by mail: neither the pages nor their pace tell whether an address is known."""

import hashlib
import logging
from datetime import timedelta
from typing import Any

from axes.utils import reset as lift_lockout
from django import forms
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.views import (
    PasswordResetCompleteView,
    PasswordResetConfirmView,
    PasswordResetDoneView,
    PasswordResetView,
)
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from banking.services import staff_history
from foundation.throttling import rate_limits
from mcp_server.pages import known_devices
from mcp_server.pages.base_page import too_many
from mcp_server.services import (
    credential_notices,
    password_resets,
    sign_in_attempts,
    sign_in_notices,
)
from mcp_server.services.credential_notices import Change

logger = logging.getLogger(__name__)
WINDOW = timedelta(hours=1)
BY_ONE_ADDRESS = 20  # mails asked for from one IP address in WINDOW
TO_ONE_ADDRESS = 5  # mails asked for to one email address in WINDOW


class AskForm(PasswordResetForm):
    """Form for the email address of a user who forgot the password."""

    email = forms.EmailField(
        label=_("Email address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )


class AskForReset(PasswordResetView):
    """Ask for an email address, and have a worker mail a link to its users, if there are any."""

    form_class = AskForm
    template_name = "mcp_server/password_reset.html"
    success_url = reverse_lazy("password_reset_sent")

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        try:
            rate_limits.spend(_allowances(self.request, form), at=timezone.now(), window=WINDOW)
        except rate_limits.RateLimited as exc:
            seconds = exc.usage.reset_seconds
            context = {"minutes": -(-seconds // 60)}
            template = "mcp_server/too_many_mails.html"
            return too_many(self.request, template, context, seconds=seconds)
        password_resets.queue(form.cleaned_data["email"], at=timezone.now())
        return HttpResponseRedirect(str(self.success_url))


def _allowances(request: HttpRequest, form: PasswordResetForm) -> dict[str, int]:
    plain = form.cleaned_data["email"].strip().lower()
    digest = hashlib.sha256(plain.encode()).hexdigest()[:32]  # short, and nobody's address
    network = rate_limits.network_of(request.META["REMOTE_ADDR"])
    return {
        f"password-resets-by:{network}": BY_ONE_ADDRESS,
        f"password-resets-to:{digest}": TO_ONE_ADDRESS,
    }


class ResetSent(PasswordResetDoneView):
    """Announce a mail, without telling whether a user has the address."""

    template_name = "mcp_server/password_reset_sent.html"


class ChooseNew(PasswordResetConfirmView):
    """Set the new password after a reset link was followed, mail the user, and end a lock-out."""

    template_name = "mcp_server/password_reset_confirm.html"
    success_url = reverse_lazy("password_reset_done")

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():
            staff_history.lock_for(form.user)
            response = super().form_valid(form)
            credential_notices.announce(form.user, Change.PASSWORD_CHANGED)
        logger.info("user %s chose a new password by mail", form.user.external_id)
        lift_lockout(username=form.user.email)
        email = form.user.email
        for device in ("", known_devices.device_of(self.request, email)):
            sign_in_attempts.forget(email, device=device)
        sign_in_notices.forget(email)
        return response


class ResetDone(PasswordResetCompleteView):
    """Confirm that the new password was saved."""

    template_name = "mcp_server/password_reset_done.html"
