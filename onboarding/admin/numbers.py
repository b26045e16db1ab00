"""Finding by SSN or EIN: the number is posted, and no address ever has it."""

import re
from dataclasses import asdict

from django.contrib import admin, messages
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.shortcuts import redirect
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from foundation.backoffice.screens import FactsAdmin
from onboarding.queries import search
from onboarding.queries.search import NumberIndex

NUMBER = (  # standing alone: a UUID may hold as many digits
    r"(?<![\w\-])(\d{3}[\-\u2013. ]?\d{2}[\-\u2013. ]?\d{4}|\d{2}[\-\u2013. ]\d{7})(?![\w\-])"
)
DIGITS = 9
FOUND = "found"  # in the address
LIFETIME = 600  # seconds, of such an address


class NumberlessSearch(FactsAdmin):
    """A list whose search refuses personal numbers: they would stay in addresses and logs."""

    search_pattern = rf"(?!.*{NUMBER}).*"

    def changelist_view(self, request, extra_context=None):
        if looks_like_a_number(request.GET.get("q", "")):
            text = "Find SSNs and EINs by the form for them, beside the search of applications."
            messages.error(request, text)
            kept = request.GET.copy()
            del kept["q"]
            return redirect(f"{request.path}?{kept.urlencode()}")
        return super().changelist_view(request, extra_context)


class NumberForm(FactsAdmin):
    """The form "Find by SSN or EIN" of a list, which leads to the list of what was found."""

    def get_urls(self):
        name = f"{self.opts.app_label}_{self.opts.model_name}_find"
        view = self.admin_site.admin_view(self.find)
        return [path("find/", view, name=name), *super().get_urls()]

    @method_decorator([require_POST, sensitive_post_parameters("number")])
    def find(self, request):
        """Lead to what has the number that was typed; the address has a signed fingerprint."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        changelist = f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"
        digits = re.sub(r"[-.\s]", "", request.POST.get("number", ""))
        if not re.fullmatch(rf"\d{{{DIGITS}}}", digits):
            messages.error(request, f"Type the whole SSN or EIN: {DIGITS} digits.")
            return redirect(changelist)
        signed = _signer(request).sign_object(asdict(search.index_number(digits)))
        return redirect(reverse(changelist, query={FOUND: signed}))


class FoundFilter(admin.SimpleListFilter):
    """Keeps what has the number that the form was given, for some minutes."""

    title, parameter_name = "SSN or EIN", FOUND

    def lookups(self, request, model_admin):
        return [(self.value(), "As typed")] if self.value() else []

    def queryset(self, request, queryset):
        try:
            number = _signer(request).unsign_object(self.value(), max_age=LIFETIME)
        except signing.BadSignature:
            messages.warning(request, "This search has ended: type the number again.")
            return queryset.none()
        return queryset.filter(lead__in=search.find_leads_by_number(NumberIndex(**number)))


def looks_like_a_number(text):
    """Say whether somebody searches for what may be an SSN or an EIN."""
    return bool(re.search(NUMBER, text))


def _signer(request):
    return signing.TimestampSigner(salt=f"onboarding.found.{request.user.pk}")
