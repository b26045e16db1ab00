"""The back office: one admin site for every app's screens.

The module is in no `admin` package: screens in these packages register with the site, so the site
must be there before.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import BadRequest
from django.core.paginator import InvalidPage
from django.db import DataError
from django.db.models import QuerySet
from django.db.models.base import ModelBase
from django.http import HttpRequest
from django.template.response import TemplateResponse

from foundation.database.counts import count_all


@dataclass(frozen=True)
class Figure:
    """A labelled number on the home page, with the URL of the list of its rows.

    A queryset as `value` is counted, with all other figures in one statement. `most` needs a
    queryset that is sliced to `most` + 1 rows: a greater count is shown as `most` with a plus sign.
    """

    label: str
    value: int | str | QuerySet[Any]
    url: str
    most: int | None = None


FigureSource = Callable[[HttpRequest], Iterable[Figure]]
sources: dict[str, list[FigureSource]] = {}
SectionSource = Callable[[HttpRequest], str]
sections: list[SectionSource] = []
role_names: set[str] = set()  # of the groups that who looks after users puts staff into


def figures(title: str) -> Callable[[FigureSource], FigureSource]:
    """Register a function whose figures the home page shows under `title`; a decorator.

    The function gets the request. It returns no figures for a user who may not see them.
    """

    def add(source: FigureSource) -> FigureSource:
        sources.setdefault(title, []).append(source)
        return source

    return add


def section(source: SectionSource) -> SectionSource:
    """Register a function whose HTML the home page shows above the figures; a decorator.

    The function gets the request. For an empty text nothing is shown.
    """
    sections.append(source)
    return source


@dataclass(frozen=True)
class HeaderLink:
    """A link in the header of each page with a number, for example of unread notifications."""

    label: str
    count: int | str
    url: str


HeaderSource = Callable[[HttpRequest], HeaderLink | None]
header_sources: list[HeaderSource] = []


def header_link(source: HeaderSource) -> HeaderSource:
    """Register a function whose link the header of each page shows; a decorator.

    The function gets the request. For None no link is shown.
    """
    header_sources.append(source)
    return source


LAST = 9  # place in the menu
UNREADABLE = "A filter cannot read this value."
WRITTEN = {"", "__exact", "__id__exact", "__gte", "__lt", "__isnull", "__isempty"}  # by filters


class ChosenLookups(admin.ModelAdmin):
    """Accepts the lookups that the filters and links of a list offer, and refuses all others.

    Django allows every lookup of a local field: numbers could be guessed by their beginning, and a
    regular expression that the database cannot read would end in a 500.
    """

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        if "\0" in value:
            return False
        linked = {field.name for field in self.opts.fields if field.is_relation}
        filters = self.get_list_filter(request)
        return lookup in linked or any(_writes(entry, lookup) for entry in filters)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the changelist. Raises: BadRequest for a value that a filter cannot read.

        For such a value Django would redirect to the list with an error. For a page that does not
        exist it still does: IncorrectLookupParameters is passed on.
        """
        try:
            return super().get_changelist_instance(request)
        except IncorrectLookupParameters as exc:
            if isinstance(exc.__context__, InvalidPage):
                raise
            raise BadRequest(UNREADABLE) from exc
        except (OverflowError, DataError) as exc:  # the database has no number of this size
            raise BadRequest(UNREADABLE) from exc


class BackOffice(admin.AdminSite):
    """The Django admin site with the figures of the apps on its home page."""

    site_header = "Vestibule back office"
    site_title = "Vestibule"
    index_title = "Home"
    site_url = None

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        shown = {
            title: [figure for source in group for figure in source(request)]
            for title, group in sources.items()
        }
        shown = _counted(shown)
        above = [html for source in sections if (html := source(request))]
        return super().index(
            request, {"sections": above, "figures": shown, **(extra_context or {})}
        )

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return Django's context and `header_links`, a function that returns the HeaderLinks."""

        def header_links() -> list[HeaderLink]:
            return [link for source in header_sources if (link := source(request))]

        return {**super().each_context(request), "header_links": header_links}

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register screens of models, except models of the apps in the setting `BACK_OFFICE_HIDES`.

        Each screen, also that of a third-party app, becomes a subclass of `ChosenLookups`.
        """
        is_one = isinstance(model_or_iterable, ModelBase)
        models: Iterable[Any] = [model_or_iterable] if is_one else model_or_iterable
        hidden = set(settings.BACK_OFFICE_HIDES)
        shown = [model for model in models if model._meta.app_label not in hidden]
        screen = admin_class or admin.ModelAdmin
        chosen = type(screen.__name__, (ChosenLookups, screen), {"__module__": screen.__module__})
        super().register(shown, chosen, **options)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the apps, sorted by `back_office_place` of their AppConfig, Django's own last."""
        listed = super().get_app_list(request, app_label)
        return sorted(listed, key=lambda app: _place(app["app_label"]))


def _place(app_label: str) -> int:
    """Return the sort key of an app in the menu: LAST for Django's own, 1 if the app names none."""
    app = apps.get_app_config(app_label)
    return LAST if app.name.startswith("django.") else getattr(app, "back_office_place", 1)


def _writes(entry: Any, lookup: str) -> bool:
    """Return whether the links of an entry of `list_filter` have the query parameter `lookup`."""
    name = entry[0] if isinstance(entry, tuple) else entry
    if not isinstance(name, str):
        return bool(lookup == name.parameter_name)
    return lookup.startswith(name) and lookup.removeprefix(name) in WRITTEN


def _counted(groups: dict[str, list[Figure]]) -> dict[str, list[Figure]]:
    """Return the groups of figures with counts, as text, in place of querysets; one statement."""
    found = [one.value for group in groups.values() for one in group if _is_rows(one)]
    counts = iter(count_all(found))
    return {
        title: [_with_count(one, next(counts)) if _is_rows(one) else one for one in group]
        for title, group in groups.items()
    }


def _is_rows(figure: Figure) -> bool:
    return isinstance(figure.value, QuerySet)


def _with_count(figure: Figure, count: int) -> Figure:
    is_more = figure.most is not None and count > figure.most
    return replace(figure, value=f"{figure.most:,}+" if is_more else f"{count:,}")
