"""The pages on which customers and staff add a second factor: an authenticator app or a passkey."""

from typing import Any

import django_otp
import segno
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView
from django_otp.models import Device

from mcp_server.pages.base_page import signed_in
from mcp_server.pages.enrolment import PERMIT, AddFactorMixin
from mcp_server.pages.factor_forms import AnswerField, CodeField, passkey_context, take_challenge
from mcp_server.services import passkeys, second_factor

KEY = "second_factor_key"  # in the session, until a code confirms it
CREATION = "passkey_creation"  # in the session: the challenge, until an answer uses it up


class AppForm(forms.Form):
    """The first code of an app that knows the new key."""

    code = CodeField(label=gettext_lazy("Code"))


class PasskeyForm(forms.Form):
    """The name of a new passkey, and the credential that the browser created."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=64,
        help_text=gettext_lazy("For example: my phone, or security key in the office."),
    )
    credential = AnswerField()


class AddFactor(AddFactorMixin, FormView):
    """Base of the pages that add a factor. After the first factor, recovery codes are shown."""

    next_page = "second_factor"

    def done(self, added: tuple[Device, list[str]], message: str) -> HttpResponse:
        """Verify the session with the new factor, and end the permission to add factors.

        `added` is the factor, and its recovery codes if it is the first.
        Shows recovery codes if there are any, and otherwise goes on with a message.
        """
        device, codes = added
        self.request.session.pop(PERMIT, None)
        self.request.session.cycle_key()
        django_otp.login(self.request, device)
        if codes:
            return show_recovery_codes(self.request, codes, after=self.after(), is_new=True)
        messages.success(self.request, message)
        return redirect(self.after())

    def after(self) -> str:
        """Return the next page: `next`, or else where users go on without it.

        Staff go on to the back office, customers to the page of their second factor.
        """
        is_staff = signed_in(self.request).is_staff
        return self.get_redirect_url() or reverse("admin:index" if is_staff else "second_factor")


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class AddApp(AddFactor):
    """Show a key to an authenticator app, and ask for its first code."""

    form_class = AppForm
    template_name = "mcp_server/add_app.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        key = self.request.session.setdefault(KEY, second_factor.new_key())
        picture = qr_code(second_factor.key_as_address(signed_in(self.request), key))
        text = second_factor.key_as_text(key)
        return super().get_context_data(picture=picture, key=text, **kwargs)

    def form_valid(self, form: AppForm) -> HttpResponse:
        key = self.request.session.get(KEY, second_factor.new_key())
        code = form.cleaned_data["code"]
        try:
            added = second_factor.add_app(signed_in(self.request), key=key, code=code)
        except second_factor.AlreadyOn:  # in another window, just now
            return redirect(self.after())
        except second_factor.WrongCode:
            message = _("The code is incorrect. Check that the time on your phone is correct.")
            form.add_error("code", ValidationError(message, code="wrong_code"))
            return self.form_invalid(form)
        del self.request.session[KEY]
        return self.done(added, _("The authenticator app is set up."))


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class AddPasskey(AddFactor):
    """Ask for a name, and let the browser create a passkey."""

    form_class = PasskeyForm
    template_name = "mcp_server/add_passkey.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        return context | passkey_context(self.request, passkeys.begin_creation, CREATION)

    def form_valid(self, form: PasskeyForm) -> HttpResponse:
        answer, name = form.cleaned_data["credential"], form.cleaned_data["name"]
        challenge = take_challenge(self.request, CREATION)
        try:
            added = passkeys.add(signed_in(self.request), answer, challenge=challenge, name=name)
        except passkeys.PasskeyRefused:
            form.add_error(None, _("The passkey could not be created. Try again."))
        except passkeys.TooManyPasskeys:
            form.add_error(None, _("You have too many passkeys. Remove one first."))
        else:
            return self.done(added, _("The passkey is added."))
        return self.form_invalid(form)


def show_recovery_codes(
    request: HttpRequest, codes: list[str], *, after: str, is_new: bool
) -> HttpResponse:
    """Show new recovery codes, once, with a link to the page `after` them."""
    context = {"codes": codes, "is_new": is_new, "after": after}
    return render(request, "mcp_server/recovery_codes.html", context)


def qr_code(text: str) -> SafeString:
    """Return a QR code as an SVG element without inline styles."""
    drawn = segno.make(text, error="m").svg_inline(border=2, omitsize=True, svgclass=None)
    return mark_safe(drawn)  # noqa: S308 - segno draws squares; the text is not in it
