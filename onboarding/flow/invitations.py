"""The page of an invitation link: who invited the business, and the start of its application."""

import hashlib
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views import View
from django.views.decorators.cache import never_cache

from banking.models import Referral
from banking.queries import referrals
from foundation.throttling import rate_limits
from onboarding import validators
from onboarding.flow.forms.fields import Checked
from onboarding.flow.pages import go_to, refuse
from onboarding.lead_fields import LABELS
from onboarding.services.leads import invited_leads

WINDOW = timedelta(hours=1)
FROM_ONE_NETWORK = 20  # forms that are sent in WINDOW
WITH_ONE_LINK = 10
FOR_ONE_EMAIL = 5
NAME_MAX = 100
SENT = "sent"  # parameter: the form was sent


class JoinForm(forms.Form):
    """Form for the name and the email of the person who applies for the invited business."""

    use_required_attribute = False
    first_name = Checked(
        label=LABELS["first_name"],
        max_length=NAME_MAX,
        widget=forms.TextInput({"autocomplete": "given-name"}),
    )
    last_name = Checked(
        label=LABELS["last_name"],
        max_length=NAME_MAX,
        widget=forms.TextInput({"autocomplete": "family-name"}),
    )
    email = Checked(
        label=_("Email address"),
        help_text=_("We send the link to your application to this address."),
        check=validators.email,
        widget=forms.EmailInput({"autocomplete": "email"}),
    )


@method_decorator(never_cache, name="dispatch")
class Join(View):
    """Show who invited the business; a POST mails the link of an application.

    The response to a POST is the same whether the email is known or not.
    """

    referral: Referral

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            self.referral = referrals.get_invited(kwargs["invite_code"], at=timezone.now())
        except Referral.DoesNotExist:
            return refuse(request, "no_link", HTTPStatus.NOT_FOUND)
        except referrals.NotInvited:
            return refuse(request, "invitation_over", HTTPStatus.GONE, phone=settings.BANK_PHONE)
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest, invite_code: str) -> HttpResponse:
        if SENT in request.GET:
            return render(request, "onboarding/flow/join_sent.html", {"referral": self.referral})
        return self._show(request, JoinForm(label_suffix=""))

    def post(self, request: HttpRequest, invite_code: str) -> HttpResponse:
        form = JoinForm(request.POST, label_suffix="")
        if not form.is_valid():
            return self._show(request, form)
        now = timezone.now()
        try:
            rate_limits.spend(self._allowances(form.cleaned_data["email"]), at=now, window=WINDOW)
        except rate_limits.RateLimited as exc:
            return _refuse_further(request, exc.usage.reset_seconds)
        invited_leads.begin(
            self.referral, language=translation.get_language(), at=now, **form.cleaned_data
        )
        return go_to(f"{request.path}?{SENT}")

    def _show(self, request: HttpRequest, form: JoinForm) -> HttpResponse:
        facts = {"form": form, "referral": self.referral}
        return render(request, "onboarding/flow/join.html", facts)

    def _allowances(self, email: str) -> dict[str, int]:
        network = rate_limits.network_of(self.request.META["REMOTE_ADDR"])
        digest = hashlib.sha256(email.encode()).hexdigest()[:32]  # short, and nobody's address
        return {
            f"joins-from:{network}": FROM_ONE_NETWORK,
            f"joins-with:{self.referral.external_id}": WITH_ONE_LINK,
            f"joins-for:{digest}": FOR_ONE_EMAIL,
        }


def _refuse_further(request: HttpRequest, seconds: int) -> HttpResponse:
    status = HTTPStatus.TOO_MANY_REQUESTS
    response = refuse(request, "too_many_links", status, minutes=-(-seconds // 60))
    response["Retry-After"] = str(seconds)
    return response
