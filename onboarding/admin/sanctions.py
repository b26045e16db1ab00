"""Sanctions: screens of the loaded lists, and of the entries with their names."""

from django.contrib import admin

from foundation.backoffice.cells import figure, lines, timestamp_of
from foundation.backoffice.lists import CappedPaginator
from foundation.backoffice.screens import FactsAdmin, FactsInline, aside, badge, fieldset, stack
from onboarding.models import SanctionsEntry, SanctionsList, SanctionsName


@admin.register(SanctionsList)
class SanctionsListAdmin(FactsAdmin):
    list_display = ["loaded", "state", "entries", "names"]
    ordering = ["-pk"]
    id_fields = []
    has_history = False
    fieldsets = [
        fieldset("List", "loaded", "state", "entries", "names"),
        aside("Record", "sha256"),
    ]
    loaded = timestamp_of("loaded_at", "loaded")

    def headline_badge(self, sanctions_list):
        return self.state(sanctions_list)

    @admin.display(description="state", ordering="is_current")
    def state(self, sanctions_list):
        current = sanctions_list.is_current
        return badge("ACTIVE", "Current") if current else badge("REPLACED", "Replaced")

    @admin.display(description="entries", ordering="entry_count")
    def entries(self, sanctions_list):
        return figure(f"{sanctions_list.entry_count:,}")

    @admin.display(description="names", ordering="name_count")
    def names(self, sanctions_list):
        return figure(f"{sanctions_list.name_count:,}")


class NameInline(FactsInline):
    model = SanctionsName
    verbose_name_plural = "names"
    ordering = ["pk"]
    fields = ["name", "kind"]

    @admin.display(description="kind")
    def kind(self, name):
        if not name.is_alias:
            return "Name"
        return "Weak alias" if name.is_weak else "Alias"


@admin.register(SanctionsEntry)
class SanctionsEntryAdmin(FactsAdmin):
    list_display = ["who", "kind_shown", "programs", "number"]
    ordering = ["name", "pk"]
    search_fields = ["name", "names__name", "names__normal", "=number"]
    search_help_text = "A name or an alias, or part of one, or the number of the entry."
    id_fields = []
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    list_filter = ["kind"]
    has_history = False
    inlines = [NameInline]
    fieldsets = [
        fieldset("Entry", "kind_shown", "title", "programs", "where", "remarks"),
        aside("Record", "number", "sanctions_list"),
    ]

    def headline(self, entry):
        return entry.name

    @admin.display(description="name", ordering="name")
    def who(self, entry):
        return stack(entry.name, entry.title) if entry.title else entry.name

    @admin.display(description="kind", ordering="kind")
    def kind_shown(self, entry):
        return entry.kind.capitalize() or "Entity"

    @admin.display(description="addresses")
    def where(self, entry):
        return lines(entry.addresses)
