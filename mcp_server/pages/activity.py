"""The activity of assistants: filters, titles of requests, and the list as CSV."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from banking.models import User
from foundation.backoffice.downloads import serve_stream
from foundation.files import CSV, Stream, stream_csv
from mcp_server.errors import ErrorCode
from mcp_server.models import ANSWERED, OPENED_LINK
from mcp_server.pages.base_page import CustomerView, signed_in
from mcp_server.queries import activity
from mcp_server.queries.activity import CallFilter, LoggedCall
from mcp_server.queries.connections import ConnectedAssistant, list_assistants
from mcp_server.registry import TOOLS, offered
from mcp_server.services.page_log import PAGES

EXPORT_MAX_ROWS = 100_000
OUTCOMES = {  # the texts of the calls' outcomes
    ANSWERED: gettext_lazy("Answered"),
    ErrorCode.AUTHENTICATION_REQUIRED: gettext_lazy("Not signed in"),
    ErrorCode.ACCESS_DENIED: gettext_lazy("Not allowed"),
    ErrorCode.INVALID_PARAMETER: gettext_lazy("Invalid request"),
    ErrorCode.NOT_FOUND: gettext_lazy("Not found"),
    ErrorCode.RATE_LIMITED: gettext_lazy("Too many requests"),
    ErrorCode.INTERNAL_ERROR: gettext_lazy("Failed"),
}
HEADER = (
    gettext_lazy("Time (UTC)"),
    gettext_lazy("Assistant"),
    gettext_lazy("Used by"),
    gettext_lazy("Request"),
    gettext_lazy("Business"),
    gettext_lazy("Result"),
    gettext_lazy("Request ID"),
    gettext_lazy("Limits"),
)


class ActivityForm(forms.Form):
    """Choose the calls that are shown; a value that is not offered is ignored."""

    assistant = forms.ChoiceField(label=gettext_lazy("Assistant"), required=False)
    person = forms.ChoiceField(label=gettext_lazy("Person"), required=False)
    request = forms.ChoiceField(label=gettext_lazy("Request"), required=False)
    business = forms.ChoiceField(label=gettext_lazy("Business"), required=False)
    first = forms.DateField(
        label=gettext_lazy("From"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    last = forms.DateField(
        label=gettext_lazy("To"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(
        self, *args: Any, user: User, assistants: list[ConnectedAssistant], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.connections = {str(one.connection.pk): one.connection for one in assistants}
        self._offer("assistant", [(str(one.connection.pk), _name(one)) for one in assistants])
        people = activity.list_people(user)
        self._offer("person", [(str(one.pk), one.get_full_name() or one.email) for one in people])
        tools = offered(to_accountants=True)  # an owner's accountant calls all of them
        self._offer("request", [*((tool.name, tool.title) for tool in tools), *PAGES.items()])
        businesses = activity.list_businesses(user)
        self._offer("business", [(str(one.pk), one.legal_name) for one in businesses])

    def _offer(self, name: str, choices: list[tuple[str, Any]]) -> None:
        """Set the choices of a field, and remove the field if there is one choice only."""
        if len(choices) < 2:
            del self.fields[name]
            return
        field = self.fields[name]
        field.choices = [("", _("All")), *choices]  # type: ignore[attr-defined]  # the stubs know fields of any kind

    def chosen(self) -> dict[str, Any]:
        """Return the valid values, by field."""
        self.full_clean()
        return self.cleaned_data if self.is_bound else {}

    def wanted(self) -> CallFilter:
        """Return the filter that was chosen."""
        chosen = self.chosen()
        return CallFilter(
            connection=self.connections.get(chosen.get("assistant", "")),
            person=_key(chosen.get("person")),
            tool=chosen.get("request") or "",
            business=_key(chosen.get("business")),
            first=chosen.get("first"),
            last=chosen.get("last"),
        )


class ActivityFile(CustomerView):
    """Download the chosen activity as CSV, the newest EXPORT_MAX_ROWS rows at most."""

    def get(self, request: HttpRequest) -> StreamingHttpResponse:
        user, now = signed_in(request), timezone.now()
        form = ActivityForm(request.GET, user=user, assistants=list_assistants(user, at=now))
        calls = activity.stream_calls(user, form.wanted(), most=EXPORT_MAX_ROWS + 1)
        chunks = stream_csv([str(title) for title in HEADER], _cells(calls))
        file = Stream(CSV, f"activity-{now:%Y-%m-%d}.csv", chunks)
        return serve_stream(request, file, document="the activity of assistants")


def title_of(tool: str) -> str:
    """Return the title of a tool, page or opened link in the log. Titles of tools are English."""
    if tool.startswith(OPENED_LINK):
        return _("%(file)s: link opened") % {"file": title_of(tool.removeprefix(OPENED_LINK))}
    if tool in PAGES:
        return str(PAGES[tool])
    return TOOLS[tool].title if tool in TOOLS else tool


def _cells(calls: Iterator[LoggedCall]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the file; if EXPORT_MAX_ROWS cut it off, a last row says so."""
    for number, call in enumerate(calls):
        if number == EXPORT_MAX_ROWS:
            rows = f"{EXPORT_MAX_ROWS:,}"
            cut_off = _("Only the newest %(rows)s rows are in this file.") % {"rows": rows}
            yield (cut_off, *("" for _title in HEADER[1:]))
            return
        yield (
            f"{call.at:%Y-%m-%dT%H:%M:%SZ}",
            _("This website") if call.tool in PAGES else call.client_name,
            call.user_name or _("You"),
            title_of(call.tool),
            call.business_name,
            str(OUTCOMES[call.outcome]),
            call.request_id,
            ", ".join(str(limit.label) for limit in call.limits),
        )


def _name(one: ConnectedAssistant) -> str:
    return f"{one.client_name} ({one.host})" if one.host else one.client_name


def _key(text: str | None) -> int | None:
    return int(text) if text else None
