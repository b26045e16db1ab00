"""Lists of sanctions and exposed persons: screens of the loaded lists, and of their entries."""

from django.contrib import admin
from django.utils import timezone

from foundation.backoffice.cells import figure, lines, timestamp_of
from foundation.backoffice.lists import CappedPaginator, flag_filter
from foundation.backoffice.screens import FactsAdmin, FactsInline, aside, badge, fieldset, stack
from onboarding.entry_facts import EntryFacts, show_birth
from onboarding.models import SanctionsEntry, SanctionsList, SanctionsName
from onboarding.queries.lists import get_age

CHANGES = ["added", "changed", "removed"]


@admin.register(SanctionsList)
class SanctionsListAdmin(FactsAdmin):
    list_display = ["code", "state", "age", "published_on", "loaded", "entries", "difference"]
    list_filter = ["code", flag_filter("is_current", "current")]
    ordering = ["-is_current", "-pk"]
    id_fields = []
    has_history = False
    fieldsets = [
        fieldset("List", "code", "state", "age", "published_on", "loaded", "confirmed"),
        fieldset("Content", "entries", "names", "difference"),
        aside("Record", "sha256"),
    ]
    loaded = timestamp_of("loaded_at", "loaded")
    confirmed = timestamp_of("confirmed_at", "last loaded or confirmed")

    def headline(self, sanctions_list):
        return sanctions_list.get_code_display()

    def headline_badge(self, sanctions_list):
        return self.state(sanctions_list)

    @admin.display(description="state", ordering="is_current")
    def state(self, sanctions_list):
        current = sanctions_list.is_current
        return badge("ACTIVE", "Current") if current else badge("REPLACED", "Replaced")

    @admin.display(description="age")
    def age(self, sanctions_list):
        """Return the days since a current list was last loaded or confirmed, as a badge."""
        if not sanctions_list.is_current:
            return ""
        age = get_age(sanctions_list, at=timezone.now())
        days = f"{age.age.days} day{'' if age.age.days == 1 else 's'}"
        if age.is_overdue:
            return badge("OVERDUE", f"{days}, overdue", f"Allowed: {age.limit.days} days")
        return badge("ACTIVE", days, f"Allowed: {age.limit.days} days")

    @admin.display(description="difference")
    def difference(self, sanctions_list):
        """Return the numbers of entries by kind of change since the list before, as text."""
        if sanctions_list.added_count is None:
            return ""
        counts = {name: getattr(sanctions_list, f"{name}_count") for name in CHANGES}
        return ", ".join(f"{count:,} {name}" for name, count in counts.items())

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
    list_display = ["who", "of_list", "kind_shown", "programs", "number"]
    list_select_related = ["sanctions_list"]
    ordering = ["name", "pk"]
    search_fields = ["name", "names__name", "names__normal", "=number"]
    search_help_text = "A name or an alias, or part of one, or the number of the entry."
    id_fields = []
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    list_filter = ["sanctions_list__code", "kind"]
    has_history = False
    inlines = [NameInline]
    fieldsets = [
        fieldset("Entry", "kind_shown", "title", "programs", "where", "remarks"),
        fieldset("Compared facts", "births", "countries", "numbers"),
        aside("Record", "of_list", "number", "sanctions_list"),
    ]

    @admin.display(description="list", ordering="sanctions_list__code")
    def of_list(self, entry):
        return entry.sanctions_list.get_code_display()

    @admin.display(description="births")
    def births(self, entry):
        return ", ".join(map(show_birth, EntryFacts.of(entry.facts).births))

    @admin.display(description="countries")
    def countries(self, entry):
        return ", ".join(EntryFacts.of(entry.facts).countries)

    @admin.display(description="numbers")
    def numbers(self, entry):
        return lines(map(str, EntryFacts.of(entry.facts).numbers))

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
