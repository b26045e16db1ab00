"""The page that asks for the second factor after the password."""

from typing import Any

import django_otp
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.views import RedirectURLMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView

from mcp_server.pages import known_devices
from mcp_server.pages.base_page import signed_in
from mcp_server.pages.csp_redirects import ClientRedirectMixin
from mcp_server.pages.factor_forms import FactorForm, FactorFormMixin
from mcp_server.pages.second_factor_middleware import owes_a_code
from mcp_server.services import second_factor

FEW = 3  # recovery codes


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class EnterCode(
    FactorFormMixin, ClientRedirectMixin, RedirectURLMixin, LoginRequiredMixin, FormView
):
    """Ask for a passkey or a code after the password."""

    form_class = FactorForm
    template_name = "mcp_server/sign_in_code.html"
    next_page = "account"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not owes_a_code(request):
            return redirect(self.get_success_url())
        return super().get(request, *args, **kwargs)

    def get_default_redirect_url(self) -> str:
        return resolve_url("admin:index" if self.request.user.is_staff else self.next_page)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        has_app = second_factor.find_app(signed_in(self.request)) is not None
        return super().get_context_data(next=self.get_redirect_url(), has_app=has_app, **kwargs)

    def form_invalid(self, form: FactorForm) -> HttpResponse:
        if form.has_error("code", "wrong_code"):
            known_devices.count_failure(self.request, form.user.email)
        return super().form_invalid(form)

    def form_valid(self, form: FactorForm) -> HttpResponse:
        self.request.session.cycle_key()
        django_otp.login(self.request, form.device)
        if second_factor.count_recovery_codes(form.user) < FEW:
            messages.warning(self.request, _("You have few recovery codes left. Create new ones."))
        return super().form_valid(form)
