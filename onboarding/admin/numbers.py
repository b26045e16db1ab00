"""Lists that refuse personal numbers in their search, which is part of the URL."""

import re

from django.contrib import messages
from django.shortcuts import redirect

from foundation.backoffice.screens import FactsAdmin

NUMBER = (  # not within a word: a UUID may contain as many digits
    r"(?<![\w\-])(\d{3}[\-\u2013. ]?\d{2}[\-\u2013. ]?\d{4}|\d{2}[\-\u2013. ]\d{7})(?![\w\-])"
)


class NumberlessSearch(FactsAdmin):
    """List whose search refuses personal numbers, which would remain in URLs and logs."""

    search_pattern = rf"(?!.*{NUMBER}).*"

    def changelist_view(self, request, extra_context=None):
        if looks_like_a_number(request.GET.get("q", "")):
            text = "To find an SSN or EIN, use the search box at the top of the page."
            messages.error(request, text)
            kept = request.GET.copy()
            del kept["q"]
            return redirect(f"{request.path}?{kept.urlencode()}")
        return super().changelist_view(request, extra_context)


def looks_like_a_number(text):
    """Return whether a search text contains a possible SSN or EIN."""
    return bool(re.search(NUMBER, text))
