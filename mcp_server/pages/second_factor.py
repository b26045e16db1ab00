"""The second factor of the signed-in user: the list of factors, and their changes."""

from typing import Any
from urllib.parse import urlencode

import django_otp
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.views import RedirectURLMixin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView

from mcp_server.pages.add_factor import show_recovery_codes
from mcp_server.pages.base_page import signed_in
from mcp_server.pages.factor_forms import FactorFormMixin, ProofForm
from mcp_server.pages.passwords import end_other_sessions
from mcp_server.services import passkeys, second_factor


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class SecondFactor(FactorFormMixin, RedirectURLMixin, LoginRequiredMixin, FormView):
    """List the user's factors; switch the second factor off, or create new recovery codes."""

    form_class = ProofForm

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.is_on = request.user.is_authenticated and second_factor.is_on(request.user)

    def get_template_names(self) -> list[str]:
        return [f"mcp_server/second_factor_{'on' if self.is_on else 'off'}.html"]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        user, after = signed_in(self.request), self.get_redirect_url()
        return super().get_context_data(
            is_required=second_factor.is_required(user),
            is_for_assistant=after.startswith(reverse("oauth2_provider:authorize")),
            after=urlencode({"next": after}) if after else "",
            app=second_factor.find_app(user),
            passkeys=passkeys.list_passkeys(user),
            codes_left=second_factor.count_recovery_codes(user),
            **kwargs,
        )

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().post(request, *args, **kwargs) if self.is_on else redirect("second_factor")

    def form_valid(self, form: ProofForm) -> HttpResponse:
        if "off" not in self.request.POST:
            codes = second_factor.replace_recovery_codes(form.user)
            after = reverse("second_factor")
            return show_recovery_codes(self.request, codes, after=after, is_new=False)
        if second_factor.is_required(form.user):
            messages.error(self.request, _cannot_turn_off(form.user))
            return redirect("second_factor")
        second_factor.switch_off(form.user)
        end_other_sessions(self.request, form.user)
        messages.success(self.request, _off())
        return redirect("second_factor")


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class RemoveFactor(FactorFormMixin, LoginRequiredMixin, FormView):
    """Remove one factor of the signed-in user, and end all other sessions.

    The user gives the password and any of the factors.
    """

    form_class = ProofForm
    template_name = "mcp_server/remove_factor.html"
    success_url = reverse_lazy("second_factor")

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        if request.user.is_authenticated:
            self.factor = second_factor.find(signed_in(request), kwargs["kind"], kwargs["pk"])
            if self.factor is None:
                raise Http404

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        is_last = second_factor.is_last(self.factor)
        is_passkey = self.kwargs["kind"] == "passkey"
        return super().get_context_data(
            factor=self.factor, is_passkey=is_passkey, is_last=is_last, **kwargs
        )

    def form_valid(self, form: ProofForm) -> HttpResponse:
        try:
            second_factor.remove(form.user, self.kwargs["kind"], self.kwargs["pk"])
        except second_factor.LastFactor:
            messages.error(self.request, _cannot_turn_off(form.user))
            return redirect("second_factor")
        end_other_sessions(self.request, form.user)
        if second_factor.is_on(form.user):
            is_removed = form.device == self.factor
            left = second_factor.any_factor(form.user) if is_removed else form.device
            django_otp.login(self.request, left)
            messages.success(self.request, _("It is removed and can no longer be used."))
        else:
            messages.success(self.request, _off())
        return super().form_valid(form)


def _cannot_turn_off(user: Any) -> str:
    if user.is_staff:
        return _("Staff cannot turn off two-step verification.")
    return _("Accountants cannot turn off two-step verification.")


def _off() -> str:
    return _("Two-step verification is off. You now sign in with your password only.")
