"""Mailed codes: the form for a code, and the messages about refused codes.

A refused POST redirects to the code's page, which finds the reason in its query or the database.
"""

import math
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from onboarding.choices import CodePurpose
from onboarding.flow.pages import refuse
from onboarding.lazy_texts import StrOrPromise
from onboarding.models import Application, Owner
from onboarding.services.access import access_codes

REFUSED = "refused"  # parameter of the code's page, after a POST that was refused
UNREADABLE, WRONG, FURTHER = "unreadable", "wrong", "further"  # FURTHER: a request for a new code
SIX_DIGITS = _("Enter the six digits of the code.")
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


class CodeForm(forms.Form):
    """The form for a mailed code; a blank form shows why the last code was refused."""

    use_required_attribute = False
    code = forms.CharField(
        label=_("Six-digit code"),
        max_length=12,
        error_messages={"required": SIX_DIGITS, "max_length": SIX_DIGITS},
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "one-time-code"}),
    )

    def __init__(self, data: QueryDict | None = None, *, fault: StrOrPromise = "") -> None:
        super().__init__(data, label_suffix="")
        if fault:
            self.errors["code"] = self.error_class([str(fault)])

    def clean_code(self) -> str:
        code = "".join(self.cleaned_data["code"].split())
        if not (code.isascii() and code.isdecimal() and len(code) == access_codes.DIGITS):
            raise forms.ValidationError(SIX_DIGITS)
        return code


def refused_form(
    request: HttpRequest,
    application: Application,
    purpose: CodePurpose,
    *,
    owner: Owner | None = None,
) -> CodeForm:
    """Return the blank form, with the reason if the page's query says that a code was refused."""
    refused = request.GET.get(REFUSED)
    if refused == UNREADABLE:
        return CodeForm(fault=SIX_DIGITS)
    if refused == WRONG:
        now = timezone.now()
        refusal = access_codes.find_refusal(application, purpose, owner=owner, at=now)
        return CodeForm(fault=why(refusal))
    return CodeForm()


def refuse_further(
    request: HttpRequest,
    application: Application,
    purpose: CodePurpose,
    *,
    owner: Owner | None = None,
    back_url: str,
    **facts: Any,
) -> HttpResponse | None:
    """Return the page that says when the next code can be sent, after a refused request for one.

    None if the query does not ask for that page, or a code can be sent now. The page links to
    `back_url`, and to the code's page while an earlier code can still be entered.
    """
    now = timezone.now()
    ends_at = access_codes.next_code_at(application, owner=owner, at=now)
    if request.GET.get(REFUSED) != FURTHER or ends_at is None:
        return None
    wait = max(ends_at - now, SECOND)
    facts |= {"partner": application.lead.partner, "minutes": math.ceil(wait / MINUTE)}
    has_code = access_codes.has_code(application, purpose, owner=owner, at=now)
    facts["code_url"] = request.path if has_code else ""
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
