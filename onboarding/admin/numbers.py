"""Search by SSN or EIN: the number is sent by POST and never appears in a URL."""

import re

from django.contrib import admin, messages
from django.core import signing
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from foundation.backoffice.screens import FactsAdmin
from onboarding.queries import search

NUMBER = (  # not within a word: a UUID may contain as many digits
    r"(?<![\w\-])(\d{3}[\-\u2013. ]?\d{2}[\-\u2013. ]?\d{4}|\d{2}[\-\u2013. ]\d{7})(?![\w\-])"
)
DIGITS = 9
FOUND = "found"  # query parameter
LIFETIME = 600  # seconds that a search URL is valid


class NumberlessSearch(FactsAdmin):
    """List whose search refuses personal numbers, which would remain in URLs and logs."""

    search_pattern = rf"(?!.*{NUMBER}).*"

    def changelist_view(self, request, extra_context=None):
        if looks_like_a_number(request.GET.get("q", "")):
            text = "To find an SSN or EIN, use “Find by SSN or EIN” on the page of applications."
            messages.error(request, text)
            kept = request.GET.copy()
            del kept["q"]
            return redirect(f"{request.path}?{kept.urlencode()}")
        return super().changelist_view(request, extra_context)


class NumberForm(FactsAdmin):
    """The form "Find by SSN or EIN", which redirects to the filtered list."""

    def get_urls(self):
        may = self.has_view_permission
        page = self.list_page("find/", "find", self.find, is_allowed=may, guard=require_POST)
        return [page, *super().get_urls()]

    @method_decorator(sensitive_post_parameters("number"))
    def find(self, request):
        """Redirect to the list filtered by the posted number, by its signed blind index."""
        changelist = f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"
        digits = re.sub(r"[-.\s]", "", request.POST.get("number", ""))
        if not re.fullmatch(rf"\d{{{DIGITS}}}", digits):
            messages.error(request, f"Enter the full SSN or EIN: {DIGITS} digits.")
            return redirect(changelist)
        signed = _signer(request).sign_object(search.index_number(digits))
        return redirect(reverse(changelist, query={FOUND: signed}))


class FoundFilter(admin.SimpleListFilter):
    """Filter by the signed blind index of a number, valid for LIFETIME seconds."""

    title, parameter_name = "SSN or EIN", FOUND

    def lookups(self, request, model_admin):
        return [(self.value(), "The number that you entered")] if self.value() else []

    def queryset(self, request, queryset):
        try:
            number = _signer(request).unsign_object(self.value(), max_age=LIFETIME)
        except signing.BadSignature:
            messages.warning(request, "This search has expired. Enter the number again.")
            return queryset.none()
        return queryset.filter(lead__in=search.find_leads_by_number(number))


def looks_like_a_number(text):
    """Return whether a search text contains a possible SSN or EIN."""
    return bool(re.search(NUMBER, text))


def _signer(request):
    return signing.TimestampSigner(salt=f"onboarding.found.{request.user.pk}")
