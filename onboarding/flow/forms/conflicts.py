"""Messages about values that were changed elsewhere while a page was open."""

from django import forms
from django.utils.translation import gettext_lazy as _

from onboarding.lazy_texts import StrOrPromise
from onboarding.models.people import Person
from onboarding.services.leads import marks

CONFLICT = _(
    "This has changed since you opened the page. It is now “%(value)s”. To use your answer "
    "instead, save again."
)
CLEARED_CONFLICT = _(
    "This has been cleared since you opened the page. To use your answer instead, save again."
)


def conflict_text(person: Person, name: str, field: forms.Field) -> StrOrPromise:
    """Return the message for a field whose value was changed elsewhere.

    `name` is the flat name of the value, such as `business_address.city`.
    """
    value = field.prepare_value(marks.value_of(person, name))
    words = dict(getattr(field, "choices", ()) or getattr(field.widget, "choices", ()))
    if value in (None, ""):
        return CLEARED_CONFLICT
    return CONFLICT % {"value": words.get(value, value)}
