"""Statuses: names, badges and filters of application statuses for staff."""

from django.db.models import Q

from foundation.backoffice.lists import OptionsFilter
from foundation.backoffice.screens import badge
from onboarding.choices import GROUPS, StatusGroup
from onboarding.choices import ApplicationStatus as Status


def status_badge(status):
    """Return a status as a badge with its label as title."""
    return badge(status, status_name(status), Status(status).label)


def status_name(status):
    """Return the name of a status: `IN_REVIEW` becomes "In review"."""
    if status == Status.APPROVED_TEMPORARY:
        return "Approved temporarily"
    name = status.replace("_", " ").capitalize()
    return name.replace("Id ", "ID ")


class StatusFilter(OptionsFilter):
    """Filter applications by status."""

    title = parameter_name = "status"
    options = [(status.value, status_name(status)) for status in Status]

    def queryset(self, request, queryset):
        statuses = self.statuses()
        return queryset if statuses is None else queryset.filter(self.among(statuses))

    def statuses(self):
        """Return the statuses to keep; None for all."""
        return [self.value()] if self.value() in Status.values else None

    def among(self, statuses):
        """Return the condition for rows with one of these statuses."""
        return Q(status__in=statuses)


class StageFilter(StatusFilter):
    """Filter applications by status group."""

    title = parameter_name = "stage"
    options = StatusGroup.choices

    def statuses(self):
        return [status for status, group in GROUPS.items() if group == self.value()] or None
