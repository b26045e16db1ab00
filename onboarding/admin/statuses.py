"""Statuses of applications, as staff read them."""

from banking.admin.screens import badge
from onboarding.choices import ApplicationStatus as Status


def status_badge(status):
    """Return a status as a badge that says what it means."""
    return badge(status, status_name(status), Status(status).label)


def status_name(status):
    """Return a status in words: `IN_REVIEW` is "In review"."""
    name = status.replace("_", " ").capitalize()
    return name.replace("Id ", "ID ")
