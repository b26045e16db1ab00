"""Time zones of staff: the back office shows and reads times in the zone of the viewer."""

from collections.abc import Callable, Iterator
from typing import cast
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone, translation
from django.views.decorators.http import require_http_methods

from banking.models import User
from foundation import times

BACK_OFFICE = "/admin/"
LANGUAGE = "en-us"  # English with the formats of foundation/backoffice/formats
USUAL = {
    "America/New_York": "Eastern",
    "America/Chicago": "Central",
    "America/Denver": "Mountain",
    "America/Phoenix": "Arizona",
    "America/Los_Angeles": "Pacific",
    "America/Anchorage": "Alaska",
    "Pacific/Honolulu": "Hawaii",
    "UTC": "UTC",
}


class StaffTimeZoneMiddleware:
    """Use the zone of the signed-in user, else STAFF_TIME_ZONE, for pages of the back office.

    Bodies that are streamed are made after the zone was left: files of lists are in UTC.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(BACK_OFFICE):
            return self.get_response(request)
        with timezone.override(zone_of(request)), translation.override(LANGUAGE):
            return self.get_response(request)


def zone_of(request: HttpRequest) -> ZoneInfo:
    """Return the time zone of the user, or STAFF_TIME_ZONE if there is none or it is unknown."""
    return times.zone_of_staff(getattr(request.user, "time_zone", ""))


def choices() -> Iterator[tuple[str, object]]:
    """Yield the choices of the form: the bank's zone, those of the United States, all others."""
    yield "", f"The bank's ({settings.STAFF_TIME_ZONE})"
    yield "United States", [(name, f"{label} ({name})") for name, label in USUAL.items()]
    others = available_timezones() - {"Factory", "localtime", *USUAL}
    yield "All time zones", [(name, name.replace("_", " ")) for name in sorted(others)]


class TimeZoneForm(forms.Form):
    """The time zone of the signed-in user."""

    time_zone = forms.ChoiceField(
        label="Time zone",
        choices=choices,
        required=False,
        help_text="Times in the back office are shown, and read from forms, in this zone. "
        "Deadlines still count the hours of New York. Files of lists stay in UTC.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
def view(request: HttpRequest) -> HttpResponse:
    """Show and save the time zone of the signed-in user."""
    user = cast("User", request.user)  # the site admits staff alone
    form = TimeZoneForm(
        request.POST or None, initial={"time_zone": user.time_zone}, label_suffix=""
    )
    if request.method == "POST" and form.is_valid():
        user.time_zone = form.cleaned_data["time_zone"]
        user.save(update_fields=["time_zone"])
        messages.success(request, "Saved.")
        return redirect("staff_time_zone")
    context = {**admin.site.each_context(request), "title": "Time zone", "form": form}
    return TemplateResponse(request, "admin/time_zone.html", context)
