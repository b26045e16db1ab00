"""Address keys: SQL expressions that are equal for two spellings of the same address."""

from typing import Any

from django.db.models import F, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Concat, Left, Lower, Replace, Upper

POSTAL_CHARACTERS = 5  # a ZIP+4 code has the same beginning as the ZIP code
IGNORED = (" ", ".", ",", "#")


def address_key(line1: Any, postal_code: Any) -> Concat:
    """Return an expression for the first line of an address and the beginning of its postal code.

    The line is in lower case and without the characters of IGNORED; the postal code is cut to
    POSTAL_CHARACTERS. The parameters are expressions of type text.
    """
    street: Any = Lower(line1)
    for sign in IGNORED:
        street = Replace(street, text(sign), text(""))
    postal = Left(Upper(postal_code), POSTAL_CHARACTERS, output_field=TextField())
    return Concat(street, text(" "), postal)


def text(value: str) -> Value:
    """Return a text as an expression of type text."""
    return Value(value, output_field=TextField())


def _in_columns(*names: str) -> Concat:
    return address_key(*(Cast(F(name), TextField()) for name in names))


def _in_object(column: str) -> Concat:
    return address_key(KT(f"{column}__line1"), KT(f"{column}__postal_code"))


HOME_KEY = _in_columns("line1", "postal_code")
BUSINESS_KEY = _in_object("business_address")
MAILING_KEY = _in_object("mailing_address")
OWNER_KEY = _in_object("address")
