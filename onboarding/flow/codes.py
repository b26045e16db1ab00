"""Mailed codes: the form that takes one, and the words about them."""

from http import HTTPStatus
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from onboarding.flow.pages import refuse
from onboarding.services import access_codes


class CodeForm(forms.Form):
    """The code of the mail."""

    use_required_attribute = False
    code = forms.CharField(
        label=_("Six-digit code"),
        max_length=12,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "one-time-code"}),
    )

    def clean_code(self) -> str:
        return "".join(self.cleaned_data["code"].split())


def refuse_codes(request: HttpRequest, exc: access_codes.TooManyCodes) -> HttpResponse:
    """Say when the next code can be sent."""
    status = HTTPStatus.TOO_MANY_REQUESTS
    return refuse(request, "too_many_codes", status, until=exc.ends_at)


def why(exc: access_codes.CodeRefused) -> Any:
    """Return in words why a code lets nobody in."""
    if isinstance(exc, access_codes.WrongCode) and exc.tries_left:
        text = ngettext(
            "This is not the code. You have one more try.",
            "This is not the code. You have %(tries)s more tries.",
            exc.tries_left,
        )
        return text % {"tries": exc.tries_left}
    if isinstance(exc, access_codes.CodeExpired):
        return _("This code is not valid any more. Ask for a new one below.")
    return _("There were too many wrong codes. Ask for a new one below.")
