"""Form fields that validate like the API, with error messages for applicants."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import phonenumbers
from django import forms
from django.utils.translation import gettext_lazy as _

from onboarding import validators
from onboarding.errors import ErrorCode, InvalidValue
from onboarding.lazy_texts import StrOrPromise

LONGEST = 255  # characters, as in the API
HOME = "US"  # phone numbers of this country need no country code
WORDS: dict[ErrorCode, StrOrPromise] = {
    ErrorCode.INVALID_EMAIL: _("Enter an email address like name@example.com."),
    ErrorCode.INVALID_PHONE_NUMBER: _(
        "Enter a phone number with its area code, like 202-555-0123. "
        "Outside the US, begin with + and the country code."
    ),
    ErrorCode.INVALID_SSN: _("Enter the nine digits of a Social Security number or ITIN."),
    ErrorCode.INVALID_EIN: _("Enter the nine digits of the EIN, like 12-3456789."),
    ErrorCode.INVALID_DATE: _("Enter a real date, like 3/27/1980."),
    ErrorCode.INVALID_POSTAL_CODE: _("Enter a ZIP code of five digits, like 10001."),
    ErrorCode.INVALID_STATE: _("Enter a US state, like California or CA."),
    ErrorCode.INVALID_COUNTRY: _("Enter the name of a country, like Canada."),
    ErrorCode.INVALID_NAICS_CODE: _("Enter a NAICS code of two to six digits, like 541511."),
    ErrorCode.UNDERAGE_PERSON: _("This person must be at least 18 years old."),
    ErrorCode.OWNERSHIP_TOTAL_EXCEEDED: _("The shares of all owners add up to more than 100%."),
    ErrorCode.DUPLICATE_UBO_EMAIL: _("Another owner already uses this email address."),
    ErrorCode.VALUE_TOO_LONG: _("This is too long."),
}
OTHER = _("Check this answer.")
MISSING = _("Please fill this in.")
NO_SHARE = _("Enter a number from 0 to 100, like 25 or 33.3.")


class Checked(forms.CharField):
    """A text field with a validator of the API, which also normalizes the value."""

    def __init__(self, *, check: Callable[[str], Any] | None = None, **options: Any) -> None:
        options.setdefault("max_length", LONGEST)
        options.setdefault("error_messages", {"required": MISSING})
        super().__init__(**options)
        self._check = check

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """Return no attribute for the usual length, which the server checks."""
        attrs: dict[str, Any] = super().widget_attrs(widget)
        return {name: one for name, one in attrs.items() if one != str(LONGEST)}

    def to_python(self, value: Any) -> Any:
        return super().to_python(validators.visible(value or ""))

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text or self._check is None:
            return text
        try:
            return self._check(text)
        except InvalidValue as exc:
            raise forms.ValidationError(explain(exc.code)) from None


class WriteOnlyInput(forms.TextInput):
    """An input that never shows its earlier value."""

    def format_value(self, value: Any) -> None:
        """Show nothing."""


class PersonalNumberField(Checked):
    """A field for a personal number, whose value is never shown again.

    `attrs` are of its input; a number with letters is typed in capitals.
    """

    def __init__(self, *, attrs: dict[str, str] | None = None, **options: Any) -> None:
        letters = {"spellcheck": "false", "autocapitalize": "characters"}
        own = {"autocomplete": "off", **(attrs or letters)}
        super().__init__(required=False, widget=WriteOnlyInput(own), **options)


class OneOf(forms.RadioSelect):
    """Radio buttons; labels and links that refer to the group point to the first button."""

    def create_option(self, *args: Any, **options: Any) -> dict[str, Any]:
        """Return a radio button; only the first needs an id, since labels are around the others."""
        made: dict[str, Any] = super().create_option(*args, **options)
        if made["index"] != "0":
            made["attrs"].pop("id", None)
        return made

    def id_for_label(self, id_: str, index: str | None = None) -> str:
        return super().id_for_label(id_, index or "0")


class Share(forms.DecimalField):
    """A share of the business in percent, with a point or a comma."""

    def __init__(self, **options: Any) -> None:
        words = dict.fromkeys(["invalid", "min_value", "max_value"], NO_SHARE)
        super().__init__(
            min_value=0,
            max_value=100,
            max_digits=7,
            decimal_places=4,
            error_messages={"required": MISSING, **words},
            widget=forms.TextInput({"inputmode": "decimal", "autocomplete": "off"}),
            **options,
        )

    def to_python(self, value: Any) -> Any:
        text = str(value or "").strip().removesuffix("%").rstrip()
        return super().to_python(text.replace(",", "."))

    def prepare_value(self, value: Any) -> Any:
        return f"{value.normalize():f}" if isinstance(value, Decimal) else value


def explain(code: ErrorCode) -> StrOrPromise:
    """Return the message for the applicant about an error; a general one for codes without any."""
    return WORDS.get(code, OTHER)


def phone_number(text: str) -> str:
    """Return a typed phone number in E.164; without a country code it is a US number.

    Raises: InvalidValue.
    """
    try:
        number = phonenumbers.parse(text, HOME)
    except phonenumbers.NumberParseException:
        raise InvalidValue(ErrorCode.INVALID_PHONE_NUMBER) from None
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    return validators.phone_number(written)
