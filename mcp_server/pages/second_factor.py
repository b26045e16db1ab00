"""The second factor: the page that asks for a code, and the one that switches it on and off."""

import math
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import django_otp
import segno
from django import forms
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.views import RedirectURLMixin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView
from django_otp.middleware import is_verified

from mcp_server.pages.base_page import signed_in
from mcp_server.pages.csp_redirects import ClientRedirectMixin
from mcp_server.pages.passwords import PasswordField, check_password, end_other_sessions
from mcp_server.services import second_factor

FEW = 3  # recovery codes
KEY = "second_factor_key"  # in the session, until a code confirms it
WITHOUT_CODE = re.compile(
    r"/(?:sign-in|sign-out|password-reset|language|connect|static|healthz|readyz"
    r"|status|service|mcp|token|revoke|introspect|register|\.well-known|apply)(?:/|$)"
)
GetResponse = Callable[[HttpRequest], HttpResponse]


class SecondFactorMiddleware:
    """Keep users with a second factor at the sign-in pages until they give its code.

    Users who need a second factor and have none reach only the page that enrols it.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if WITHOUT_CODE.match(request.path_info):
            return self.get_response(request)
        if owes_a_code(request):
            after = urlencode({"next": request.get_full_path()})
            return HttpResponseRedirect(f"{reverse('sign_in_code')}?{after}")
        if owes_a_second_factor(request) and request.path_info != reverse("second_factor"):
            return HttpResponseRedirect(enrolment_page(request))
        return self.get_response(request)


def enrolment_page(request: HttpRequest) -> str:
    """Return the page that enrols a second factor, with the page of a GET as `next`."""
    after = {"next": request.get_full_path()} if request.method == "GET" else {}
    return f"{reverse('second_factor')}{'?' if after else ''}{urlencode(after)}"


def owes_a_code(request: HttpRequest) -> bool:
    """Return whether the user gave a password, but not yet the code."""
    user = request.user
    return user.is_authenticated and not is_verified(user) and second_factor.is_on(user)


def owes_a_second_factor(request: HttpRequest) -> bool:
    """Return whether the user needs a second factor and has none.

    Assumes that `owes_a_code` was checked: a user with a second factor has given its code.
    """
    user = request.user
    return user.is_authenticated and second_factor.is_required(user) and not is_verified(user)


class CodeField(forms.CharField):
    """A code of the app, or a recovery code."""

    def __init__(self, **options: Any) -> None:
        attributes = {"autocomplete": "one-time-code", "autocapitalize": "none", "class": "code"}
        super().__init__(max_length=20, widget=forms.TextInput(attrs=attributes), **options)


class CodeForm(forms.Form):
    """The form for the code of the second factor."""

    code = CodeField(label=gettext_lazy("Code"))

    def __init__(self, user: Any, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user = user

    def clean_code(self) -> str:
        code = str(self.cleaned_data["code"])
        try:
            self.device = second_factor.check(self.user, code)
        except second_factor.TooManyCodes as exc:
            raise ValidationError(_wait(exc), code="too_many") from None
        except second_factor.WrongCode:
            raise ValidationError(_("The code is incorrect."), code="wrong_code") from None
        return code


class ProofForm(CodeForm):
    """Password and code, before the second factor changes."""

    password = PasswordField(label=gettext_lazy("Password"))
    field_order = ["password", "code"]

    def clean_password(self) -> str:
        check_password(self.user, self.cleaned_data["password"])
        return str(self.cleaned_data["password"])

    def clean_code(self) -> str:
        if self.errors:  # a code that was looked at is used up
            return ""
        return super().clean_code()


class SwitchOnForm(ProofForm):
    """Password, and the first code of an app that knows the new key."""

    def clean_code(self) -> str:
        return str(self.cleaned_data["code"])


def _wait(exc: second_factor.TooManyCodes) -> str:
    seconds = max(math.ceil((exc.until - timezone.now()).total_seconds()), 1)
    message = ngettext(
        "Too many incorrect codes. Try again in %(seconds)d second.",
        "Too many incorrect codes. Try again in %(seconds)d seconds.",
        seconds,
    )
    return message % {"seconds": seconds}


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class EnterCode(ClientRedirectMixin, RedirectURLMixin, LoginRequiredMixin, FormView):
    """Ask for the code of the second factor after the password."""

    form_class = CodeForm
    template_name = "mcp_server/sign_in_code.html"
    next_page = "connected_assistants"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not owes_a_code(request):
            return redirect(self.get_success_url())
        return super().get(request, *args, **kwargs)

    def get_default_redirect_url(self) -> str:
        return resolve_url("admin:index" if self.request.user.is_staff else self.next_page)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {"user": self.request.user, **super().get_form_kwargs()}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(next=self.get_redirect_url(), **kwargs)

    def form_valid(self, form: CodeForm) -> HttpResponse:
        self.request.session.cycle_key()
        django_otp.login(self.request, form.device)
        if second_factor.count_recovery_codes(form.user) < FEW:
            messages.warning(self.request, _("You have few recovery codes left. Create new ones."))
        return super().form_valid(form)


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class SecondFactor(RedirectURLMixin, LoginRequiredMixin, FormView):
    """Switch the second factor on, off, or make new recovery codes.

    After the first recovery codes, the user goes on to `next`.
    """

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.is_on = request.user.is_authenticated and second_factor.is_on(request.user)

    def get_form_class(self) -> type[ProofForm]:
        return ProofForm if self.is_on else SwitchOnForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return {"user": self.request.user, **super().get_form_kwargs()}

    def get_template_names(self) -> list[str]:
        return [f"mcp_server/second_factor_{'on' if self.is_on else 'off'}.html"]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        user, context = signed_in(self.request), super().get_context_data(**kwargs)
        context["is_required"] = second_factor.is_required(user)
        context["is_for_assistant"] = self.get_redirect_url().startswith(
            reverse("oauth2_provider:authorize")
        )
        if self.is_on:
            return {**context, "codes_left": second_factor.count_recovery_codes(user)}
        key = self.request.session.setdefault(KEY, second_factor.new_key())
        picture = qr_code(second_factor.key_as_address(user, key))
        return {**context, "picture": picture, "key": second_factor.key_as_text(key)}

    def form_valid(self, form: ProofForm) -> HttpResponse:
        if not self.is_on:
            return self._switch_on(form)
        if "off" not in self.request.POST:
            return self._show(second_factor.replace_recovery_codes(form.user), is_new=False)
        if second_factor.is_required(form.user):
            message = (
                _("Staff cannot turn off two-step verification.")
                if form.user.is_staff
                else _("Accountants cannot turn off two-step verification.")
            )
            messages.error(self.request, message)
            return redirect("second_factor")
        second_factor.switch_off(form.user)
        end_other_sessions(self.request, form.user, form.cleaned_data["password"])
        messages.success(
            self.request,
            _("Two-step verification is off. You now sign in with your password only."),
        )
        return redirect("second_factor")

    def _switch_on(self, form: ProofForm) -> HttpResponse:
        key = self.request.session.get(KEY, second_factor.new_key())
        try:
            device, codes = second_factor.switch_on(
                form.user, key=key, code=form.cleaned_data["code"]
            )
        except second_factor.AlreadyOn:  # in another window, just now
            return redirect(self._after())
        except second_factor.WrongCode:
            message = _("The code is incorrect. Check that the time on your phone is correct.")
            form.add_error("code", ValidationError(message, code="wrong_code"))
            return self.form_invalid(form)
        del self.request.session[KEY]
        end_other_sessions(self.request, form.user, form.cleaned_data["password"])
        django_otp.login(self.request, device)
        return self._show(codes, is_new=True)

    def _show(self, codes: list[str], *, is_new: bool) -> HttpResponse:
        context = {"codes": codes, "is_new": is_new, "after": self._after()}
        return render(self.request, "mcp_server/recovery_codes.html", context)

    def _after(self) -> str:
        """Return the page after the recovery codes: `next`, or the start of the user's pages."""
        is_staff = signed_in(self.request).is_staff
        return self.get_redirect_url() or reverse("admin:index" if is_staff else "second_factor")


def qr_code(text: str) -> SafeString:
    """Return a QR code as an SVG element without inline styles."""
    drawn = segno.make(text, error="m").svg_inline(border=2, omitsize=True, svgclass=None)
    return mark_safe(drawn)  # noqa: S308 - segno draws squares; the text is not in it
