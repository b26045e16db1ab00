"""Staff actions: the page of the newest actions of a person, and the export of all of them.

Actions are events of leads, staff events and log entries of the back office.
"""

from collections.abc import Callable

from django.contrib.admin.models import LogEntry
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.admin.staff_people import list_staff
from banking.models import StaffEvent, User
from foundation.backoffice.cells import lines, minute, table_of, timestamp
from foundation.backoffice.downloads import serve_stream
from foundation.backoffice.lists import link_to_list, may_view
from foundation.backoffice.screens import FactsAdmin, link_to
from foundation.files import Stream
from foundation.privacy.fields import encrypted_names
from onboarding.admin.hidden_decisions import without_hidden
from onboarding.admin.people import lead_name
from onboarding.models import Event, Lead
from onboarding.services.events import person_exports

NEWEST = 50  # of each table


class StaffActions(FactsAdmin):
    """Mixin that adds the page of a person's actions to the screen of events."""

    what: Callable[[Event], str]  # a column of that screen

    def get_urls(self):
        shown = self.list_page("by/<int:pk>/", "by", self.actions_of, is_allowed=may_view_actions)
        exported = self.list_page(
            "by/<int:pk>/export/",
            "export_by",
            self.export_actions,
            is_allowed=may_export,
            guard=require_POST,
        )
        return [shown, exported, *super().get_urls()]

    def actions_of(self, request, pk):
        """Show the newest actions of a member of staff, with links to all. Raises: Http404."""
        person = _find_person(pk)
        return self.show_page(
            request,
            "onboarding/event/by_person",
            title=f"Actions of {person}",
            person=person,
            person_page=link_to(person, person.email) if may_view(request, User) else person.email,
            may_export=may_export(request),
            export_url=reverse("admin:onboarding_event_export_by", args=[person.pk]),
            tables=[self._events_of(request, person), _staff_events(person), _log_entries(person)],
        )

    def export_actions(self, request, pk):
        """Record the export, and stream all that a member of staff did as a file of JSON lines.

        Raises: Http404 for anybody who is no member of staff.
        """
        person = _find_person(pk)
        found = person_exports.export(person, by=request.user, at=timezone.now())
        chunks = (line.encode() for line in found)
        file = Stream("application/jsonl", f"audit-of-{person.external_id}.jsonl", chunks)
        return serve_stream(request, file, document=f"audit of user {person.external_id}")

    def _events_of(self, request, person):
        of_person = Event.objects.filter(who=str(person.external_id)).select_related("lead")
        found = without_hidden(request, of_person)
        unread = [f"lead__{name}" for name in encrypted_names(Lead)]
        newest = found.defer(*unread).order_by("-occurred_at", "-pk")[:NEWEST]
        cells = {
            "When": lambda event: link_to(event, minute(event.occurred_at)),
            "What": self.what,
            "Lead": lambda event: link_to(event.lead, lead_name(event.lead)),
        }
        more = link_to_list(Event, "All events", person=person.pk)
        return table_of("Events of leads", newest, cells, nothing="None.", more=more)


def may_view_actions(request):
    """Return whether the user may view events of leads and of staff, and the log."""
    return may_view(request, Event, StaffEvent, LogEntry)


def may_export(request):
    """Return whether the user may export an audit."""
    return request.user.has_perm("onboarding.export_audit")


def _find_person(pk):
    person = list_staff().filter(pk=pk).first()
    if person is None:
        raise Http404("No member of staff has this number.")
    return person


def _staff_events(person):
    newest = StaffEvent.objects.filter(who=str(person.external_id)).order_by("-number")[:NEWEST]
    cells = {
        "When": lambda event: timestamp(event.occurred_at),
        "What": lambda event: link_to(event, event.get_type_display()),
        "About": _about,
    }
    more = link_to_list(StaffEvent, "All staff events", person=person.pk)
    return table_of("Staff events", newest, cells, nothing="None.", more=more)


def _about(event):
    said = event.details
    return lines(said.get("summary") or filter(None, [said.get("email")]))


def _log_entries(person):
    newest = LogEntry.objects.filter(user=person).order_by("-pk")[:NEWEST]
    cells = {
        "When": lambda entry: timestamp(entry.action_time),
        "Object": lambda entry: link_to(entry, entry.object_repr),
        "Text": lambda entry: entry.get_change_message(),
    }
    more = link_to_list(LogEntry, "All log entries", person=person.pk)
    return table_of("Log of the back office", newest, cells, nothing="None.", more=more)
