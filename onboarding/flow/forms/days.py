"""Dates in three inputs: month, day and year.

The inputs have the name of the field, so that drafts keep them as the values of one field.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from onboarding import validators
from onboarding.errors import ErrorCode, InvalidValue
from onboarding.flow.forms.fields import MISSING, explain

PARTS = (("month", _("Month"), 2), ("day", _("Day"), 2), ("year", _("Year"), 4))
BETWEEN = "/"  # the parts of a typed date
ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
IN_THE_FUTURE = _("The date of birth is in the future. Check the year.")
UNDERAGE = _("You must be at least 18 years old.")  # to somebody who fills in their own details
TOO_LONG_AGO = _("The date of birth is more than 120 years ago. Check the year.")


class DayInput(forms.DateInput):
    """Three inputs of one name. A single posted value is a whole date."""

    use_fieldset = True

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        given = data.getlist(name) if hasattr(data, "getlist") else [data.get(name)]
        if len(given) != len(PARTS):
            return given[0] if given else None
        typed = [str(part).strip() for part in given]
        return BETWEEN.join(typed) if any(typed) else ""

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        attrs = self.build_attrs(self.attrs, attrs)
        autocomplete = attrs.pop("autocomplete", "")
        first, parts = attrs.pop("id", f"id_{name}"), split(value)
        inputs = [
            (
                (own := first if key == "month" else f"{first}_{key}"),
                label,
                self._input(
                    name, part, {**attrs, "id": own, **_hints(key, size, autocomplete)}, renderer
                ),
            )
            for (key, label, size), part in zip(PARTS, parts, strict=True)
        ]
        return format_html(
            '<div class="day">{}</div>',
            format_html_join("", '<div><label for="{}">{}</label>{}</div>', inputs),
        )

    def _input(self, name: str, value: str, attrs: dict[str, Any], renderer: Any) -> SafeString:
        return forms.TextInput().render(name, value, attrs, renderer)


class Day(forms.DateField):
    """A date in three inputs, with a validator of the API. Blank is None."""

    widget = DayInput
    input_formats = ["%Y-%m-%d", "%m/%d/%Y", "%b/%d/%Y", "%B/%d/%Y"]

    def __init__(self, *, check: Callable[[str], date], **options: Any) -> None:
        words = {"required": MISSING, "invalid": explain(ErrorCode.INVALID_DATE)}
        super().__init__(error_messages=words, **options)
        self._check = check

    def clean(self, value: Any) -> date | None:
        day = super().clean(value)
        try:
            return self._check(day.isoformat()) if day else None
        except InvalidValue as exc:
            raise forms.ValidationError(explain(exc.code)) from None


class BirthDay(Day):
    """A date of birth, with a message for each way in which it can be wrong."""

    is_readers = False  # whether the reader enters their own date

    def __init__(self, **options: Any) -> None:
        super().__init__(check=_birth_date, **options)

    def clean(self, value: Any) -> date | None:
        try:
            return super().clean(value)
        except forms.ValidationError as exc:
            is_underage = exc.messages == [str(explain(ErrorCode.UNDERAGE_PERSON))]
            if self.is_readers and is_underage:
                raise forms.ValidationError(UNDERAGE) from None
            raise


def split(value: Any) -> Sequence[str]:
    """Return month, day and year of a date, or of the typed text.

    A text that cannot be split is returned as the month, with an empty day and year.
    """
    if isinstance(value, date):
        return [str(value.month), str(value.day), str(value.year)]
    text = str(value or "")
    if found := ISO.fullmatch(text):
        year, month, day = found.groups()
        return [month.lstrip("0"), day.lstrip("0"), year]
    typed = text.split(BETWEEN, len(PARTS) - 1)
    return [*typed, *[""] * (len(PARTS) - len(typed))]


def _birth_date(text: str) -> date:
    today, born = timezone.localdate(), validators.iso_date(text)
    if born > today:
        raise forms.ValidationError(IN_THE_FUTURE)
    if born.year < today.year - validators.OLDEST:
        raise forms.ValidationError(TOO_LONG_AGO)
    return validators.birth_date(text, today=today)


def _hints(key: str, size: int, autocomplete: str) -> dict[str, Any]:
    named = {"autocomplete": f"{autocomplete}-{key}"} if autocomplete else {}
    return {"inputmode": "numeric", "size": size, **named}
