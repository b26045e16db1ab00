"""Pages on which users confirm or change their password."""

import logging
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from banking.models import User
from banking.services import staff_history
from foundation.throttling import rate_limits
from mcp_server.services import credential_notices
from mcp_server.services.credential_notices import Change

CHECKS = 10  # of one's own password, in CHECK_WINDOW
CHECK_WINDOW = timedelta(minutes=15)
logger = logging.getLogger(__name__)


class PasswordField(forms.CharField):
    """A field for the present password of a user."""

    def __init__(self, **options: Any) -> None:
        attributes = {"autocomplete": "current-password"}
        super().__init__(strip=False, widget=forms.PasswordInput(attrs=attributes), **options)


def check_password(user: User, password: str) -> None:
    """Check the current password of the user.

    Raises: ValidationError if it is wrong, or after more than CHECKS tries in CHECK_WINDOW.
    """
    allowance = {f"password-checks:{user.pk}": CHECKS}
    try:
        rate_limits.spend(allowance, at=timezone.now(), window=CHECK_WINDOW)
    except rate_limits.RateLimited as exc:
        minutes = -(-exc.usage.reset_seconds // 60)
        message = ngettext(
            "Too many attempts. Try again in %(minutes)d minute.",
            "Too many attempts. Try again in %(minutes)d minutes.",
            minutes,
        )
        raise ValidationError(message % {"minutes": minutes}, code="too_many") from None
    if not user.check_password(password):
        logger.warning("user %s confirmed with a wrong password", user.external_id)
        raise ValidationError(_("The password is incorrect."), code="wrong_password")


def end_other_sessions(request: HttpRequest, user: User) -> None:
    """Let a user stay signed in here and nowhere else."""
    user.sessions_ended_at = timezone.now()
    user.save(update_fields=["sessions_ended_at"])
    update_session_auth_hash(request, user)


class ChangeForm(PasswordChangeForm):
    """Form for the current password, and twice the new password."""

    old_password = PasswordField(label=gettext_lazy("Current password"))

    def clean_old_password(self) -> str:
        check_password(self.user, self.cleaned_data["old_password"])
        return str(self.cleaned_data["old_password"])


class ChangePassword(PasswordChangeView):
    """Change the user's password, mail the user, and end all other sessions."""

    form_class = ChangeForm
    template_name = "mcp_server/password.html"
    success_url = reverse_lazy("password")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        with transaction.atomic():
            staff_history.lock_for(form.user)
            response = super().form_valid(form)
            credential_notices.announce(form.user, Change.PASSWORD_CHANGED)
        logger.info("user %s changed the password", form.user.external_id)
        message = _(
            "Your password has been changed. You have been signed out on all other devices."
        )
        messages.success(self.request, message)
        return response
