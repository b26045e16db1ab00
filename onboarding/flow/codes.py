"""Mailed codes: the form for a code, and the messages about refused codes."""

import math
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from onboarding.choices import CodePurpose
from onboarding.flow.pages import refuse
from onboarding.models import Application
from onboarding.services.access import access_codes

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


class CodeForm(forms.Form):
    """The form for a mailed code."""

    use_required_attribute = False
    code = forms.CharField(
        label=_("Six-digit code"),
        max_length=12,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "one-time-code"}),
    )

    def clean_code(self) -> str:
        return "".join(self.cleaned_data["code"].split())


def refuse_codes(
    request: HttpRequest,
    exc: access_codes.TooManyCodes,
    application: Application,
    purpose: CodePurpose,
    *,
    code_url: str,
    back_url: str,
    **facts: Any,
) -> HttpResponse:
    """Show when the next code can be sent, with links to the code's page and back.

    The code's page is linked only while a code can still be entered.
    """
    now = timezone.now()
    wait = max(exc.ends_at - now, SECOND)
    facts |= {"partner": application.lead.partner, "minutes": math.ceil(wait / MINUTE)}
    facts["code_url"] = code_url if access_codes.has_code(application, purpose, at=now) else ""
    status = HTTPStatus.TOO_MANY_REQUESTS
    response = refuse(request, "too_many_codes", status, back_url=back_url, **facts)
    response["Retry-After"] = str(math.ceil(wait / SECOND))
    return response


def why(exc: access_codes.CodeRefused) -> Any:
    """Return the message for a refused code."""
    if isinstance(exc, access_codes.WrongCode) and exc.tries_left:
        text = ngettext(
            "The code is incorrect. You have one more try.",
            "The code is incorrect. You have %(tries)s more tries.",
            exc.tries_left,
        )
        return text % {"tries": exc.tries_left}
    if isinstance(exc, access_codes.CodeExpired):
        return _("This code is no longer valid. Get a new code below.")
    return _("There were too many incorrect codes. Get a new code below.")
