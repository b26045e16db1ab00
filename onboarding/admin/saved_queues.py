"""Saved queues: named searches of the application queue, as links."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST

from foundation.backoffice.screens import FactsAdmin
from onboarding.admin.numbers import FOUND, looks_like_a_number
from onboarding.models import SavedQueue

PASSING = {FOUND, "p", "all", "e"}  # query parameters that are not saved
LONGEST_NAME, LONGEST_QUERY = 60, 1000


class SavedQueues(FactsAdmin):
    """Mixin that saves the searches of a list."""

    def get_urls(self):
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        save = self.admin_site.admin_view(self.save_search)
        forget = self.admin_site.admin_view(self.forget_search)
        return [
            path("saved/", save, name=f"{name}_save"),
            path("saved/<int:pk>/delete/", forget, name=f"{name}_forget"),
            *super().get_urls(),
        ]

    def changelist_view(self, request, extra_context=None):
        context = {"saved_queues": list_saved(request.user), "query": kept(request.GET)}
        return super().changelist_view(request, context | (extra_context or {}))

    @method_decorator(require_POST)
    def save_search(self, request):
        """Save the shown search under a name, replacing a search of the same name."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        name = request.POST.get("name", "").strip()
        query = kept(QueryDict(request.POST.get("query", "")))
        if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
            messages.error(request, f"A name has 1 to {LONGEST_NAME} characters.")
        elif len(query) > LONGEST_QUERY:
            messages.error(request, "This search is too long to be saved.")
        else:
            SavedQueue.objects.update_or_create(
                user=request.user, name=name, defaults={"query": query}
            )
            messages.success(request, f"“{name}” is above the list and on your home page now.")
        return redirect(f"{address()}?{query}")

    @method_decorator(require_POST)
    def forget_search(self, request, pk):
        """Delete a saved search of the user."""
        saved = get_object_or_404(SavedQueue, pk=pk, user=request.user)
        saved.delete()
        messages.success(request, f"“{saved.name}” is deleted.")
        return redirect(address())


def list_saved(user):
    """Return the saved searches of a user with their URLs."""
    found = SavedQueue.objects.filter(user=user)
    return [(saved, f"{address()}?{saved.query}") for saved in found]


def address():
    """Return the URL of the list of applications."""
    return reverse("admin:onboarding_application_changelist")


def kept(query):
    """Return the query string without page parameters and personal numbers."""
    query = query.copy()
    for name in PASSING & {*query}:
        del query[name]
    if looks_like_a_number(query.get("q", "")):
        del query["q"]
    return query.urlencode()
