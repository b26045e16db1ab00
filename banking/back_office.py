"""The back office: one admin site for every app's screens.

Not in the `admin` package: the site must be there before the screens that register with it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest


@dataclass(frozen=True)
class Figure:
    """A number that the home page shows, and where its rows are listed."""

    label: str
    count: int
    url: str


FigureSource = Callable[[HttpRequest], Iterable[Figure]]


class BackOffice(admin.AdminSite):
    """The Django admin under the house's name, with the apps' figures on its home page."""

    site_header = "Vestibule back office"
    site_title = "Vestibule"
    index_title = "Home"
    site_url = None

    def __init__(self, name="admin"):
        super().__init__(name)
        self._sources: list[FigureSource] = []

    def figures(self, source: FigureSource) -> FigureSource:
        """Show what `source` returns for a request on the home page; a decorator."""
        self._sources.append(source)
        return source

    def index(self, request, extra_context=None):
        figures = [figure for source in self._sources for figure in source(request)]
        return super().index(request, {"figures": figures, **(extra_context or {})})

    def get_app_list(self, request, app_label=None):
        """Return the apps by name, the house's own before Django's."""
        listed = super().get_app_list(request, app_label)
        return sorted(listed, key=lambda app: _is_stock(app["app_label"]))


def _is_stock(app_label):
    return apps.get_app_config(app_label).name.startswith("django.")
