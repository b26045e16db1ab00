"""Marks: keyed hashes of the values that a page showed, to find out which of them have changed.

A page carries signed marks, not the values. Names are flat here, as in `drafts`. On a page, the
hash of a name has 4 hexadecimal digits and the mark of its value has 8, to keep the page small.
"""

import hashlib
import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from django.core import signing
from django.utils.crypto import salted_hmac

from foundation.privacy.fields import encrypted_names
from onboarding.models.people import Person

SALT = "vestibule.flow.seen"
SHORT = 8  # hexadecimal digits of a mark on a page
KEY = re.compile(r"[0-9a-f]{4}")  # of a name on a page; no name looks like one
NESTED = ("business_address", "mailing_address", "address", "edd_answers")


def value_of(person: Person, name: str) -> Any:
    """Return a person's value by its flat name."""
    outer, _, inner = name.partition(".")
    value = getattr(person, outer)
    if outer == "edd_answers" and inner:
        return value[int(inner)].get("answer", "") if int(inner) < len(value) else ""
    return value.get(inner, "") if inner else value


def remember(person: Person, names: Collection[str], *, beside: str = "") -> str:
    """Return signed marks of the values that a page shows, added to the signed marks `beside`.

    Personal numbers have no mark: equal marks on two pages would reveal equal numbers.
    """
    shown = [name for name in names if name not in encrypted_names(type(person))]
    marks = {key_of(name): short_mark(person, value_of(person, name)) for name in shown}
    return signing.dumps({**read(beside), **marks}, salt=SALT, compress=True)


def join(seen: str, older: str, *, fields: Collection[str]) -> str:
    """Return the signed marks `seen`, with the marks of some form fields from the marks `older`."""
    keys = {key_of(flat(name)) for name in fields}
    kept = {key: mark for key, mark in read(older).items() if key in keys}
    return signing.dumps({**read(seen), **kept}, salt=SALT, compress=True) if kept else seen


def field_name(name: str) -> str:
    """Return the name of the form field of a flat name."""
    return name.replace(".", "_")


def flat(name: str) -> str:
    """Return the flat name of a form field: `business_address_city` is `business_address.city`."""
    for outer in NESTED:
        if name.startswith(f"{outer}_"):
            return f"{outer}.{name.removeprefix(outer + '_')}"
    return name


def is_confirmed(person: Person, name: str, value: str) -> bool:
    """Return whether the applicant or owner confirmed exactly this value under the flat name."""
    return f"{name}={mark(person, value)}" in person.confirmed


def confirm(person: Person, confirmed: Mapping[str, str]) -> bool:
    """Remember values that the applicant or owner confirmed, unsaved; return whether any is new."""
    new = [f"{name}={mark(person, value)}" for name, value in confirmed.items()]
    if set(new) <= set(person.confirmed):
        return False
    others = [one for one in person.confirmed if one.partition("=")[0] not in confirmed]
    person.confirmed = [*others, *new]
    return True


def read(seen: str) -> dict[str, str]:
    """Return the marks of a page by the keys of the names; empty if the signature is not valid.

    Pages of the release before this one have whole names and longer marks.
    """
    try:
        marks: dict[str, str] = signing.loads(seen, salt=SALT)
    except signing.BadSignature:
        return {}
    return {
        name if KEY.fullmatch(name) else key_of(name): one[:SHORT] for name, one in marks.items()
    }


def key_of(name: str) -> str:
    """Return the key of a flat name in the marks of a page."""
    return hashlib.sha256(name.encode()).hexdigest()[:4]


def short_mark(person: Person, value: Any) -> str:
    """Return the mark of a value as pages carry it."""
    return mark(person, value)[:SHORT]


def mark(person: Person, value: Any) -> str:
    """Return a keyed hash of a value, salted per person, to detect concurrent edits."""
    if isinstance(value, Decimal):
        value = format(value.normalize(), "f")
    text = "" if value in (None, "") else f"{person.external_id}:{value}"
    return salted_hmac(SALT, text, algorithm="sha256").hexdigest()[:16]
