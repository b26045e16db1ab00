"""Proof of who adds a factor, asked before the pages that add one.

Users with a second factor give it and their password; others give their password and, where the
settings require a second factor, a code that is mailed to them.
"""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.views import RedirectURLMixin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView

from foundation.throttling import rate_limits
from mcp_server.pages.base_page import signed_in
from mcp_server.pages.factor_forms import (
    CodeField,
    FactorFormMixin,
    PasswordForm,
    ProofForm,
    UserForm,
)
from mcp_server.pages.passwords import end_other_sessions
from mcp_server.services import mailed_codes, second_factor

PERMIT = "may_add_factor_since"  # in the session: seconds since 1970
PERMIT_LIFETIME = timedelta(minutes=30)
MAILED = "mailed_code"  # in the session: what `mailed_codes` keeps


def permit(request: HttpRequest) -> None:
    """Let the user, who has just proved their identity, add a factor for PERMIT_LIFETIME.

    The permission holds in the browser's session alone.
    """
    request.session[PERMIT] = timezone.now().timestamp()


def is_permitted(request: HttpRequest) -> bool:
    """Return whether the session's permission to add a factor is not older than PERMIT_LIFETIME."""
    age = timezone.now().timestamp() - request.session.get(PERMIT, 0)
    return bool(age <= PERMIT_LIFETIME.total_seconds())


class MailedCodeForm(UserForm):
    """The code from the mail."""

    mailed_code = CodeField(label=gettext_lazy("Code from the email"))

    def clean_mailed_code(self) -> str:
        code, kept = self.cleaned_data["mailed_code"], self.request.session[MAILED]
        try:
            is_right = mailed_codes.is_right(self.user, kept, code, at=timezone.now())
        except rate_limits.RateLimited:
            message = _("Too many attempts. Get a new code in a few minutes.")
            raise ValidationError(message, code="too_many") from None
        if not is_right:
            message = _("The code is incorrect or has expired.")
            raise ValidationError(message, code="wrong_code")
        return str(code)


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class ConfirmEnrolment(FactorFormMixin, RedirectURLMixin, LoginRequiredMixin, FormView):
    """Ask for proof that the user may add a factor, and go on to `next`.

    For the first factor, the right password ends the other sessions of the user.
    """

    template_name = "mcp_server/confirm_enrolment.html"
    next_page = "second_factor"

    def get_form_class(self) -> type[forms.Form]:
        if second_factor.is_on(signed_in(self.request)):
            return ProofForm
        return MailedCodeForm if MAILED in self.request.session else PasswordForm

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        is_mailed = issubclass(self.get_form_class(), MailedCodeForm)
        return super().get_context_data(
            is_mailed=is_mailed,
            next=self.get_redirect_url(),
            minutes=mailed_codes.LIFETIME // timedelta(minutes=1),
            **kwargs,
        )

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "again" not in request.POST:
            return super().post(request, *args, **kwargs)
        request.session.pop(MAILED, None)
        return redirect(self._here())

    def form_valid(self, form: Any) -> HttpResponse:
        is_first = isinstance(form, PasswordForm) and not isinstance(form, ProofForm)
        if is_first and second_factor.is_mail_checked(form.user):
            return self._mail(form)
        if is_first:
            end_other_sessions(self.request, form.user)
        self.request.session.pop(MAILED, None)
        permit(self.request)
        return super().form_valid(form)

    def _mail(self, form: PasswordForm) -> HttpResponse:
        try:
            kept = mailed_codes.send(form.user, at=timezone.now())
        except rate_limits.RateLimited:
            message = _("We have sent you several codes already. Try again in one hour.")
            form.add_error(None, ValidationError(message, code="too_many"))
            return self.form_invalid(form)
        end_other_sessions(self.request, form.user)
        self.request.session[MAILED] = kept
        return redirect(self._here())

    def _here(self) -> str:
        return f"{self.request.path}?{urlencode({'next': self.get_redirect_url()})}"


class AddFactorMixin(RedirectURLMixin, LoginRequiredMixin):
    """A page that adds a factor for users who have proved who they are, then goes on to `next`."""

    request: HttpRequest

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and not is_permitted(request):
            after = urlencode({"next": request.get_full_path()})
            return HttpResponseRedirect(f"{reverse('confirm_enrolment')}?{after}")
        return super().dispatch(request, *args, **kwargs)
