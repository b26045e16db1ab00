"""The log of the back office: changes that staff made on its screens, as Django records them."""

from django.contrib import admin
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry

from banking.admin.staff_people import UserFilter, find_staff
from foundation.backoffice import cells
from foundation.backoffice.lists import CappedPaginator, OptionsFilter, date_filter
from foundation.backoffice.screens import FactsAdmin, aside, badge, fieldset, link_to, stack

ACTIONS = {ADDITION: "Added", CHANGE: "Changed", DELETION: "Deleted"}


class ActionFilter(OptionsFilter):
    title = parameter_name = "action"
    options = [(str(flag), label) for flag, label in ACTIONS.items()]

    def queryset(self, request, queryset):
        chosen = self.value()
        is_known = chosen in {value for value, _ in self.options}
        return queryset.filter(action_flag=int(chosen)) if is_known else queryset


@admin.register(LogEntry)
class LogEntryAdmin(FactsAdmin):
    """Screen of the rows that staff added, changed and deleted, and of the steps that they took."""

    has_history = False
    list_display = ["when", "person", "action", "what", "said"]
    list_filter = [UserFilter, ActionFilter, date_filter("action_time")]
    list_filter += [("content_type", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["user", "content_type"]
    ordering = ["-action_time", "-pk"]
    search_fields = ["object_repr", "change_message"]
    search_help_text = "Name or email of a member of staff, object or text of the entry."
    id_fields = ["user__external_id"]
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    fieldsets = [
        fieldset("Entry", "person", "action", "what", "said"),
        aside("Record", "when", "object_id"),
    ]
    when = cells.timestamp_of("action_time", "when")

    def headline(self, entry):
        return str(entry)

    def get_search_results(self, request, queryset, search_term):
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        return found | queryset.filter(user__in=find_staff(search_term)), may_repeat

    @admin.display(description="by", ordering="user__email")
    def person(self, entry):
        return stack(link_to(entry.user, str(entry.user)), entry.user.email)

    @admin.display(ordering="action_flag")
    def action(self, entry):
        return badge(f"log_{entry.action_flag}", ACTIONS[entry.action_flag])

    @admin.display(description="object", ordering="object_repr")
    def what(self, entry):
        """Return the name of the changed object, with the kind of the object below."""
        kind = str(entry.content_type.name) if entry.content_type else ""
        return stack(entry.object_repr, kind)

    @admin.display(description="text")
    def said(self, entry):
        return entry.get_change_message()
