"""Events: screens of the history of leads, without personal values."""

from django.contrib import admin
from django.db.models import Q
from django.urls import reverse
from django.utils.html import format_html

from banking.admin.staff_people import PersonFilter, find_staff, people_of
from foundation.backoffice.cells import pairs, table_of, timestamp_of
from foundation.backoffice.lists import CappedPaginator, date_filter, link_to_list
from foundation.backoffice.screens import UndecryptedList, aside, fieldset, link_to, stack
from onboarding.admin.event_words import as_text, summary, words
from onboarding.admin.hidden_decisions import without_hidden
from onboarding.admin.people import LeadFactsAdmin
from onboarding.admin.staff_actions import StaffActions
from onboarding.admin.staff_names import name_of, with_email
from onboarding.admin.statuses import status_badge
from onboarding.models import Event

NEWEST = 25


class RoleFilter(admin.ChoicesFieldListFilter):
    """Filter by the role of the actor."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.title = "role"


class EventScreen:
    """Columns of a list of lead events, for `EventAdmin` and `timeline`.

    The column `by` reads `person` of each event, which `with_people` sets.
    """

    occurred = timestamp_of("occurred_at", "when")

    @admin.display(description="what", ordering="type")
    def what(self, event):
        return stack(event.get_type_display(), summary(event))

    @admin.display(description="by", ordering="role")
    def by(self, event):
        role = event.get_role_display()
        if not event.who:
            return role
        return stack(role, with_email(event.person) if event.person else event.who)

    @admin.display(description="from and to", ordering="status")
    def change(self, event):
        if not event.previous_status:
            return ""
        return format_html(
            "{} &rarr; {}", status_badge(event.previous_status), status_badge(event.status)
        )


class EventList(UndecryptedList):
    """Changelist that reads the staff behind a page or batch of events in one statement."""

    def get_results(self, request):
        super().get_results(request)
        self.result_list = self.complete(self.result_list)

    def complete(self, rows):
        return with_people(rows)


@admin.register(Event)
class EventAdmin(StaffActions, EventScreen, LeadFactsAdmin):
    changelist_class = EventList
    list_display = ["what", "of_lead", "change", "by", "occurred"]
    list_filter = ["type", ("role", RoleFilter), date_filter("occurred_at", "day"), PersonFilter]
    list_select_related = ["lead"]
    ordering = ["-occurred_at", "-pk"]
    search_help_text = (
        "Names, email, phone number, an id of any kind, or the name or email of a member of staff."
    )
    id_fields = ["external_id", "lead__external_id", "application__external_id"]
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    has_history = False
    fieldsets = [
        fieldset("Event", "type", "occurred_at", "by", "change", "event_details"),
        fieldset("Seal", "previous_digest", "digest"),
        aside("Record", "of_lead", "of_application", "number", "sequence", "external_id"),
    ]

    def get_queryset(self, request):
        found = super().get_queryset(request).select_related("application")
        return without_hidden(request, found)

    def more_matches(self, text):
        staff = [str(one) for one in find_staff(text).values_list("external_id", flat=True)]
        return Q(who__in=staff)

    @admin.display(description="by", ordering="role")
    def by(self, event):
        """Return the role and, for staff, the name with a link to what the person did."""
        if not hasattr(event, "person"):
            with_people([event])
        if event.person is None:
            return super().by(event)
        path = reverse("admin:onboarding_event_by", args=[event.person.pk])
        link = format_html('<a href="{}">{}</a>', path, name_of(event.person))
        return stack(event.get_role_display(), link)

    def headline(self, event):
        return event.get_type_display()

    @admin.display(description="application")
    def of_application(self, event):
        return link_to(event.application, f"Attempt {event.application.attempt}")

    @admin.display(description="details")
    def event_details(self, event):
        return pairs((words(name), as_text(said)) for name, said in event.details.items())


def timeline(request, row, *, most=NEWEST):
    """Return the table of the newest events of a lead or application that the user may see."""
    screen = EventScreen()
    found = without_hidden(request, row.events.order_by("-number"))
    newest = with_people(found[:most])
    cells = {
        "When": screen.occurred,
        "What": screen.what,
        "From and to": screen.change,
        "By": screen.by,
    }
    more = link_to_list(Event, "All events", **{row._meta.model_name: row.pk})
    return table_of("What happened", newest, cells, nothing="Nothing yet.", more=more)


def with_people(events):
    """Return a list of events; `person` of each is the member of staff who caused it, else None.

    Runs at most one statement.
    """
    found = list(events)
    people = people_of({event.who for event in found})
    for event in found:
        event.person = people.get(event.who)
    return found
