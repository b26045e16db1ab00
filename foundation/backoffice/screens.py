"""Base classes of screens: read-only facts, and steps that staff may take."""

import uuid
from collections.abc import Mapping
from functools import partial, reduce, update_wrapper
from operator import or_

from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db.models import Q
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST, require_safe

from foundation.backoffice import list_exports
from foundation.backoffice.replica_reads import read_page
from foundation.privacy.fields import encrypted_paths

MAX_KEYS = 1000  # in one statement; the database joins the tables if there are more keys


class ReadOnly:
    """Mixin of admin classes by which nobody may add, change or delete rows."""

    def has_add_permission(self, request, obj=None):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


class UndecryptedList(ChangeList):
    """Changelist that defers encrypted columns: a value that cannot be decrypted breaks no page.

    Raises ImproperlyConfigured if `list_select_related` of the screen is True: name the relations.
    """

    def get_queryset(self, request, exclude_parameters=None):
        rows = super().get_queryset(request, exclude_parameters)
        related = rows.query.select_related or {}
        if related is True:
            raise ImproperlyConfigured(f"Name the relations of {self.model_admin} to be selected.")
        return rows.defer(*encrypted_paths(self.model, related))

    def complete(self, rows):
        """Return the rows of a page, or of a batch of a file, with all that their cells read."""
        return rows


class FactsAdmin(ReadOnly, admin.ModelAdmin):
    """A screen of facts: rows are neither added nor edited nor deleted here.

    `steps` names methods that staff with the permission to change the row call by POST to
    `<pk>/<step>/`, with the request and the row. `action_steps` has, by such a step, the name of
    the admin action that is called with a list of that one row.
    """

    change_form_template = "admin/facts.html"
    add_form_template = "admin/change_form.html"
    list_per_page = 50
    show_full_result_count = False  # counting a whole table costs more than showing a page of it
    id_fields = ["external_id"]  # found by a whole UUID, with or without its dashes
    steps: list[str] = []
    action_steps: Mapping[str, str] = {}
    changelist_class = UndecryptedList
    has_history = True
    exports_csv = True  # the template of the pages asks

    def get_changelist(self, request, **kwargs):
        return self.changelist_class

    def has_step_permission(self, request):
        """Return whether the user may take the steps of this screen."""
        return admin.ModelAdmin.has_change_permission(self, request)

    def get_readonly_fields(self, request, obj=None):
        return flatten_fieldsets(list(self.fieldsets or [])) if obj else []

    def get_search_results(self, request, queryset, search_term):
        try:
            wanted = uuid.UUID(search_term.strip())
        except ValueError:
            return super().get_search_results(request, queryset, search_term)
        found = (id_condition(self.model, field, wanted) for field in self.id_fields)
        return queryset.filter(reduce(or_, found, Q(pk__in=[]))), False

    def get_urls(self):
        takes = {step: getattr(self, step) for step in self.steps}
        takes |= {step: partial(self._take, action) for step, action in self.action_steps.items()}
        steps = [
            self.page(step, self.has_step_permission, method=take, guard=require_POST)
            for step, take in takes.items()
        ]
        may = self.has_view_permission
        exporting = self.list_page(
            "export/", "export", self.export_csv, is_allowed=may, guard=require_POST
        )
        return [*steps, exporting, *super().get_urls()]

    def changelist_view(self, request, extra_context=None):
        """Show the list; it is read from a replica if there is one."""
        self.has_view_permission(request)
        show = partial(super().changelist_view, request, extra_context)
        return read_page(request, show)

    def export_csv(self, request):
        """Return the rows of the list, as filtered, as a CSV file."""
        return list_exports.export(self, request)

    def _take(self, action, request, row):
        """Call the admin action with the name `action` of this screen, with a list of one row."""
        getattr(self, action)(request, [row])

    def page(self, name, is_allowed, *, method=None, guard=require_safe):
        """Return the URL pattern `<pk>/<name>/`, which calls a method with the request and the row.

        The method is that called `name`, if none is given. Users for whom `is_allowed(request)` is
        false get 403. `guard` is a decorator that refuses HTTP methods, by default all but GET and
        HEAD. If the method returns None, the user is redirected to the row's change page.
        """
        method = guard(method or getattr(self, name))

        def view(request, pk):
            if not is_allowed(request):
                raise PermissionDenied
            row = get_object_or_404(self.get_queryset(request), pk=pk)
            return method(request, row) or self.to_page("change", row)

        return path(
            f"<int:pk>/{name}/",
            self.admin_site.admin_view(update_wrapper(view, method)),
            name=f"{self.opts.app_label}_{self.opts.model_name}_{name}",
        )

    def list_page(self, route, name, method, *, is_allowed=None, guard=require_safe):
        """Return the URL pattern `route` below the list, which calls a method with the request.

        The method also gets the values in the route, as keywords. Users for whom
        `is_allowed(request)` is false get 403; without it all staff are allowed. `guard` is a
        decorator that refuses HTTP methods, by default all but GET and HEAD.
        """

        @guard
        def view(request, **named):
            if is_allowed and not is_allowed(request):
                raise PermissionDenied
            return method(request, **named)

        name = f"{self.opts.app_label}_{self.opts.model_name}_{name}"
        return path(route, self.admin_site.admin_view(view), name=name)

    def render_change_form(self, request, context, add=False, change=False, form_url="", obj=None):
        if obj is not None:
            context |= {
                "headline": self.headline(obj),
                "headline_badge": self.headline_badge(obj),
                "suppliers": self.suppliers(obj),
                "may_step": self.has_step_permission(request),
                "has_history": self.has_history,
                "tiles": self.tiles(request, obj),
                "chart": self.chart(request, obj),
                "tables": self.tables(request, obj),
                **self.more_facts(request, obj),
            }
        return super().render_change_form(request, context, add, change, form_url, obj)

    def headline(self, obj):
        """Return the heading of the page of this row."""
        return str(obj)

    def headline_badge(self, _obj):
        """Return the HTML of the badge beside the headline; empty for none."""
        return ""

    def suppliers(self, _obj):
        """Return, by the name of a fact, who supplied each fact that is not from the partner."""
        return {}

    def tiles(self, _request, _obj):
        """Return the figures above the facts, as pairs of label and value."""
        return []

    def chart(self, _request, _obj):
        """Return the HTML of the chart below the figures; empty for none."""
        return ""

    def tables(self, _request, _obj):
        """Return the `Table`s below the facts: rows of other tables that no inline can show."""
        return []

    def more_facts(self, _request, _obj):
        """Return further values for the screen's template, by their names in the template."""
        return {}

    def show_page(self, request, template, *, status=None, **facts):
        """Return a page of this screen from `admin/<template>.html`.

        `facts` is the context of the template, and has the `title` of the page.
        """
        context = {**self.admin_site.each_context(request), "opts": self.opts, **facts}
        return TemplateResponse(request, f"admin/{template}.html", context, status=status)

    def to_page(self, name, obj):
        """Return a redirect to the page `name` of this row; the page with its facts is `change`."""
        return redirect(f"admin:{self.opts.app_label}_{self.opts.model_name}_{name}", obj.pk)


def id_condition(model, path, wanted):
    """Return a Q for the rows with the id `wanted` at `path`, for example `lead__external_id`.

    Runs a query for each relation in `path`, to find the keys of the related rows by their indexes:
    a join would read all rows.
    """
    name, _, rest = path.partition("__")
    if not rest:
        return Q(**{name: wanted})
    related = model._meta.get_field(name).related_model
    found = related.objects.filter(id_condition(related, rest, wanted)).values_list("pk", flat=True)
    keys = list(found[: MAX_KEYS + 1])
    return Q(**{f"{name}__in": keys if len(keys) <= MAX_KEYS else found})


class FactsInline(ReadOnly, admin.TabularInline):
    """Rows of another table on a page of facts; nothing is added, edited or deleted here."""

    template = "admin/facts_inline.html"
    extra = 0
    nothing = "None."
    select_related: list[str] = []  # what the displays of a row read beside it

    def get_readonly_fields(self, request, obj=None):
        return self.fields

    def get_queryset(self, request):
        rows = super().get_queryset(request)
        return rows.select_related(*self.select_related) if self.select_related else rows


def fieldset(title, *fields):
    """Return an entry of `fieldsets`."""
    return title, {"fields": list(fields)}


def aside(title, *fields):
    """Return an entry of `fieldsets` that stands beside the others."""
    return title, {"fields": list(fields), "classes": ["aside"]}


def badge(value, text, title=""):
    """Return the HTML of a choice as a coloured badge; `title` is its tooltip.

    The style sheet knows the colour by the value, for example `.badge-in_review`.
    """
    return format_html(
        '<span class="badge badge-{}" title="{}">{}</span>', value.lower(), title, text
    )


def stack(upper, lower):
    """Return the HTML of two lines for one cell of a table, the lower one less prominent."""
    return format_html(
        '<span class="line">{}</span><span class="line quiet">{}</span>', upper, lower
    )


def link_to(obj, text):
    """Return an HTML link to the page of a row in the back office."""
    name = f"admin:{obj._meta.app_label}_{obj._meta.model_name}_change"
    return format_html('<a href="{}">{}</a>', reverse(name, args=[obj.pk]), text)
