"""Saved queues: named searches of the application queue, as links."""

from django.contrib import messages
from django.db.models import Q
from django.http import QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from foundation.backoffice.screens import FactsAdmin
from onboarding.admin.numbers import looks_like_a_number
from onboarding.models import SavedQueue

PASSING = {"p", "all", "e"}  # query parameters that are not saved
LONGEST_NAME, LONGEST_QUERY = 60, 1000


class SavedQueues(FactsAdmin):
    """Mixin that saves the searches of a list."""

    def get_urls(self):
        may, forget = self.has_view_permission, "saved/<int:pk>/delete/"
        return [
            self.list_page("saved/", "save", self.save_search, is_allowed=may, guard=require_POST),
            self.list_page(forget, "forget", self.forget_search, guard=require_POST),
            *super().get_urls(),
        ]

    def changelist_view(self, request, extra_context=None):
        context = {"saved_queues": list_saved(request.user), "query": kept(request.GET)}
        return super().changelist_view(request, context | (extra_context or {}))

    def save_search(self, request):
        """Save the shown search under a name, replacing a search of the same name."""
        name = request.POST.get("name", "").strip()
        query = kept(QueryDict(request.POST.get("query", "")))
        if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
            messages.error(request, f"Enter a name of 1 to {LONGEST_NAME} characters.")
        elif len(query) > LONGEST_QUERY:
            messages.error(request, "This search is too long to be saved.")
        else:
            is_shared = "is_shared" in request.POST
            SavedQueue.objects.update_or_create(
                user=request.user, name=name, defaults={"query": query, "is_shared": is_shared}
            )
            whose = "every colleague's home page" if is_shared else "your home page"
            messages.success(request, f"“{name}” was saved. It is above the list and on {whose}.")
        return redirect(f"{address()}?{query}")

    def forget_search(self, request, pk):
        """Delete a saved search of the user."""
        saved = get_object_or_404(SavedQueue, pk=pk, user=request.user)
        saved.delete()
        messages.success(request, f"“{saved.name}” is deleted.")
        return redirect(address())


def list_saved(user):
    """Return pairs of a saved search and its URL: the user's own, and shared ones of colleagues."""
    found = SavedQueue.objects.filter(Q(user=user) | Q(is_shared=True, user__is_active=True))
    found = found.select_related("user")
    return [(saved, f"{address()}?{saved.query}") for saved in found]


def address():
    """Return the URL of the list of applications."""
    return reverse("admin:onboarding_application_changelist")


def kept(query):
    """Return the query string without page parameters.

    A search text that may contain a personal number is left out.
    """
    query = query.copy()
    for name in PASSING & {*query}:
        del query[name]
    if looks_like_a_number(query.get("q", "")):
        del query["q"]
    return query.urlencode()
