"""Names of staff: on screens a person is never an id."""

from collections.abc import Iterable

from django.utils.html import format_html

from banking.models import User
from onboarding.models.events import staff_id


def name_of(user):
    """Return the full name of a user, or else the part of the email address before the @."""
    return user.get_full_name() or user.email.partition("@")[0]


def with_email(user):
    """Return the name of a user, with the email address when pointed at."""
    return format_html('<span title="{}">{}</span>', user.email, name_of(user))


def list_names(ids: Iterable[str]):
    """Return the names of staff by the ids in events, in one statement; others are left out."""
    wanted = [one for one in map(staff_id, ids) if one]
    if not wanted:
        return {}
    staff = User.objects.filter(external_id__in=wanted)
    return {str(user.external_id): with_email(user) for user in staff}
