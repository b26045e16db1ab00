"""Names of staff: on screens a person is never an id."""

from collections.abc import Iterable

from django.utils.html import format_html

from banking.admin.staff_people import people_of


def name_of(user):
    """Return the full name of a user, or else the part of the email address before the @."""
    return user.get_full_name() or user.email.partition("@")[0]


def with_email(user):
    """Return the name of a user, with the email address when pointed at."""
    return format_html('<span title="{}">{}</span>', user.email, name_of(user))


def list_names(ids: Iterable[str]):
    """Return the names of staff by the ids in events, in one statement; others are left out."""
    return {key: with_email(person) for key, person in people_of(ids).items()}
