"""Forms for the factors of users: the password, and a code or a passkey."""

import json
import math
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_otp.models import Device

from mcp_server.pages.base_page import signed_in
from mcp_server.pages.passwords import PasswordField, check_password
from mcp_server.services import passkeys, second_factor

CHALLENGE = "passkey_challenge"  # in the session, until an answer uses it up
CHALLENGE_SECONDS = 15 * 60  # people may look for their phone
MAX_ANSWER = 16_000  # characters of a browser's answer


class CodeField(forms.CharField):
    """A code of the app, or a recovery code."""

    def __init__(self, **options: Any) -> None:
        attributes = {"autocomplete": "one-time-code", "autocapitalize": "none", "class": "code"}
        super().__init__(max_length=20, widget=forms.TextInput(attrs=attributes), **options)


class AnswerField(forms.CharField):
    """The answer of a browser about a passkey, as JSON; a script fills it in."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_ANSWER, widget=forms.HiddenInput, **options)


class UserForm(forms.Form):
    """Base of the forms that check a password or a factor of the signed-in user."""

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.request, self.user = request, signed_in(request)


class PasswordForm(UserForm):
    """The password of the signed-in user."""

    password = PasswordField(label=gettext_lazy("Password"))

    def clean_password(self) -> str:
        check_password(self.user, self.cleaned_data["password"])
        return str(self.cleaned_data["password"])


class FactorForm(UserForm):
    """A code of the app, a recovery code, or a passkey. `device` is the factor that was given."""

    code = CodeField(label=gettext_lazy("Code"), required=False)
    passkey = AnswerField(required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:  # a code or a challenge that was looked at is used up
            try:
                self.device = self._check(cleaned["code"], cleaned["passkey"])
            except ValidationError as exc:
                self.add_error("code", exc)
        return cleaned

    def _check(self, code: str, answer: str) -> Device:
        """Return the factor that the user has given. Raises: ValidationError."""
        if not (code or answer):
            raise ValidationError(CodeField.default_error_messages["required"], code="required")
        try:
            return self._check_passkey(answer) if answer else second_factor.check(self.user, code)
        except second_factor.TooManyCodes as exc:
            raise ValidationError(_wait(exc), code="too_many") from None
        except second_factor.WrongCode:
            raise ValidationError(_("The code is incorrect."), code="wrong_code") from None
        except passkeys.PasskeyRefused:
            message = _("This passkey did not work. Try again, or enter a code.")
            raise ValidationError(message, code="wrong_code") from None

    def _check_passkey(self, answer: str) -> Device:
        if not (challenge := take_challenge(self.request, CHALLENGE)):
            message = _("This page has expired. Use your passkey again.")
            raise ValidationError(message, code="expired")
        return passkeys.check(self.user, answer, challenge=challenge, at=timezone.now())


class ProofForm(PasswordForm, FactorForm):
    """Password and second factor, before the second factor changes."""

    field_order = ["password", "code"]


class FactorFormMixin:
    """Give a form of this module its request, and its page a challenge for a passkey."""

    request: HttpRequest

    def get_form_kwargs(self) -> dict[str, Any]:
        return {"request": self.request, **super().get_form_kwargs()}  # type: ignore[misc]  # of FormView

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]  # of FormView
        if isinstance(context["form"], FactorForm):
            context |= passkey_context(self.request, passkeys.begin_check, CHALLENGE)
        return context


def passkey_context(request: HttpRequest, begin: Any, key: str) -> dict[str, Any]:
    """Return the variables of `passkey_button.html`, and keep a new challenge in the session.

    Nothing is returned or kept if `begin` has no options, since the user has no passkey. The
    challenge of an earlier page is void. On another host than that of BASE_URL, browsers
    refuse passkeys, so the page shows `passkey_address` instead of the button.
    """
    if not (begun := begin(signed_in(request))):
        return {}
    options, challenge = begun
    request.session[key] = {"challenge": challenge, "made_at": timezone.now().timestamp()}
    site = passkeys.origin()
    is_here = f"{request.scheme}://{request.get_host()}" == site
    address = "" if is_here else f"{site}{request.get_full_path()}"
    return {"passkey_options": json.dumps(options), "passkey_address": address}


def take_challenge(request: HttpRequest, key: str) -> passkeys.Challenge:
    """Return a challenge and remove it from the session; empty if it is missing or too old."""
    kept = request.session.pop(key, None)
    if not kept or timezone.now().timestamp() - kept["made_at"] > CHALLENGE_SECONDS:
        return {}
    challenge: passkeys.Challenge = kept["challenge"]
    return challenge


def _wait(exc: second_factor.TooManyCodes) -> str:
    seconds = max(math.ceil((exc.until - timezone.now()).total_seconds()), 1)
    if (minutes := math.ceil(seconds / 60)) > 1:
        text = _("Too many incorrect codes. Try again in %(minutes)d minutes.")
        return text % {"minutes": minutes}
    message = ngettext(
        "Too many incorrect codes. Try again in %(seconds)d second.",
        "Too many incorrect codes. Try again in %(seconds)d seconds.",
        seconds,
    )
    return message % {"seconds": seconds}
