"""Members of staff in lists: a filter by one person, and a search by name or email."""

from uuid import UUID

from django.contrib import admin
from django.db.models import Q

from banking.choices import UserType
from banking.models import User
from foundation.backoffice.lists import key_of

MOST = 100  # people on a filter


class PersonFilter(admin.SimpleListFilter):
    """Filter by a member of staff; the field `path` holds the user, or if it is `who`, an id.

    That id is the user's external id as a text.
    """

    title = parameter_name = "person"
    path = "who"

    def lookups(self, request, model_admin):
        people = list_staff().order_by("-is_active", "first_name", "last_name", "email")[:MOST]
        chosen = list_staff().filter(pk=key_of(self.value()))
        return [(str(one.pk), str(one)) for one in dict.fromkeys([*chosen, *people])]

    def queryset(self, request, queryset):
        if self.value() is None:
            return queryset
        person = list_staff().filter(pk=key_of(self.value())).first()
        if person is None:
            return queryset.none()
        value = str(person.external_id) if self.path == "who" else person
        return queryset.filter(**{self.path: value})


class UserFilter(PersonFilter):
    """Filter of rows that refer to the user."""

    path = "user"


def list_staff():
    """Return all users who are members of staff, active or not."""
    return User.objects.filter(user_type=UserType.STAFF)


def find_staff(text):
    """Return the members of staff whose name or email has each word of `text`; none if empty."""
    found = list_staff()
    for word in text.split():
        found = found.filter(
            Q(first_name__icontains=word) | Q(last_name__icontains=word) | Q(email__icontains=word)
        )
    return found if text.strip() else found.none()


def people_of(ids):
    """Return a dict of members of staff by external id as text, read in one statement.

    Texts in `ids` that are no UUID or no member of staff are left out.
    """
    known = [one for one in map(_uuid, ids) if one]
    people = list_staff().filter(external_id__in=known) if known else []
    return {str(person.external_id): person for person in people}


def _uuid(text):
    try:
        return UUID(text)
    except ValueError:
        return None
