"""Lists of the back office: their pages, filters and links."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html

MAX_ROWS = 10_000  # rows that a list counts and pages through
KEY_DIGITS = 18  # a column of keys holds every number with so many digits


class CappedPaginator(Paginator):
    """Paginator of the first MAX_ROWS rows. To see the other rows, users must filter the list."""

    @cached_property
    def found(self):
        """Return the number of rows; no more than MAX_ROWS + 1 are counted."""
        rows: QuerySet[Model] = self.object_list
        return rows.order_by()[: MAX_ROWS + 1].count()

    @cached_property
    def count(self):
        return min(self.found, MAX_ROWS)

    @property
    def has_more(self):
        """Return whether there are more rows than the paginator shows."""
        return self.found > MAX_ROWS


class ChosenFilter(admin.SimpleListFilter):
    """Filters a list by a row of another table; shown only while the URL names such a row."""

    model: Any  # the class of the other table
    path = ""

    @cached_property
    def chosen(self):
        """Return the row whose primary key the URL has; None without one."""
        key = key_of(self.value())
        return self.model.objects.filter(pk=key).first() if key else None

    def lookups(self, request, model_admin):
        return [(str(self.chosen.pk), self.name_of(self.chosen))] if self.chosen else []

    def name_of(self, chosen):
        """Return the text that names the chosen row on the filter."""
        raise NotImplementedError

    def queryset(self, request, queryset):
        return queryset.filter(**{self.path or self.parameter_name: self.chosen})


class OptionsFilter(admin.SimpleListFilter):
    """Filters a list by one of `options`, pairs of a value and its label."""

    options: Sequence[tuple[str, str]] = ()

    def lookups(self, request, model_admin):
        return self.options


def flag_filter(name, title):
    """Return an entry of `list_filter` for a field that is true or false."""

    class FlagFilter(admin.BooleanFieldListFilter):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.title = title

    return (name, FlagFilter)


def date_filter(name, title=""):
    """Return an entry of `list_filter` for a date or time.

    Without a `title` it has the name of the field without "at": "created" for `created_at`.
    """

    class DateFilter(admin.DateFieldListFilter):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            self.title = title or str(self.title).removesuffix(" at")

    return (name, DateFilter)


def values_filter(name, show):
    """Return an entry of `list_filter` for the values of a field; `show` returns a value's text."""

    class ValuesFilter(admin.AllValuesFieldListFilter):
        def choices(self, changelist):
            everything, *values = super().choices(changelist)
            yield everything
            for value in values:
                yield value | {"display": show(value["display"])}

    return (name, ValuesFilter)


def key_of(text):
    """Return the primary key that a text from a URL is; 0, which no row has, for other texts."""
    is_key = bool(text) and text.isdecimal() and len(text) <= KEY_DIGITS
    return int(text) if is_key else 0


def link_to_list(model, text, **filters):
    """Return an HTML link to the list of a model, with `filters` as its query string."""
    opts = model._meta
    url = reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist", query=filters)
    return format_html('<a href="{}">{}</a>', url, text)


def may_view(request, *models):
    """Return whether the user may view the rows of each of these models."""
    return all(
        request.user.has_perm(
            f"{model._meta.app_label}.{get_permission_codename('view', model._meta)}"
        )
        for model in models
    )
