"""Search of lists by the keys of leads, applications or customers."""

from collections.abc import Callable

from django.contrib import messages
from django.db.models import Q

from foundation.database.trigrams import MAX_FOUND
from onboarding.admin.numbers import NumberlessSearch
from onboarding.queries import search

CAPPED = f"At least {MAX_FOUND} leads match, so rows may be missing. Add a word to the search."


class SearchByKeys(NumberlessSearch):
    """List whose search looks up keys by an index first: a join would read all leads.

    `find_keys` returns the keys of the rows at `search_path` that have the words of a text or, if
    `may_be_similar`, words like them.
    """

    search_fields = ["pk"]  # Django shows the search box if a field is named; no field is read
    search_path = "lead"
    find_keys: Callable[..., list[int]] = staticmethod(search.search_leads)

    def get_search_results(self, request, queryset, search_term):
        text = search_term.strip()
        if not text:
            return queryset, False
        if search.read_uuid(text):
            by_id, _ = super().get_search_results(request, queryset, text)
            return by_id | queryset.filter(self._key_matches(request, text)), False
        more = self.more_matches(text)
        is_found = queryset.filter(more).exists()
        keyed = self._key_matches(request, text, may_be_similar=not is_found)
        return queryset.filter(keyed | more), False

    def more_matches(self, _text):
        """Return the condition for rows that match the text themselves, such as by a file name.

        By default no row does; keys are looked up apart.
        """
        return Q(pk__in=[])

    def _key_matches(self, request, text, *, may_be_similar=False):
        keys = self.find_keys(text, may_be_similar=may_be_similar)
        if len(keys) >= MAX_FOUND:
            self.message_user(request, CAPPED, messages.WARNING)
        return Q(**{f"{self.search_path}__in": keys})
