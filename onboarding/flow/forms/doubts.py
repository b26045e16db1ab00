"""Doubts: answers of the right shape that are probably wrong, or not enough by law."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from banking.us_states import STATES
from onboarding.geography import MILITARY, US_TERRITORIES, may_be_in
from onboarding.lazy_texts import StrOrPromise
from onboarding.validators import ZIP_CODE

IN_THE_US: Final = {"", "US", *US_TERRITORIES}
# "P.O. Box 12", "PO box #12", "Post Office Box 12", "POB 12", "Box 12", "Apartado 12"
PO_BOX = re.compile(
    r"^\s*(?:(?:p(?:ost)?\s*[.,]?\s*o(?:ffice)?\s*[.,]?\s*(?:box|b)|pob|apartado(?:\s+postal)?)\b"
    r"|box(?=\s*#?\s*\d))(?:\s*#?\s*\d\S*)?",
    re.IGNORECASE,
)
STREET = re.compile(r"\d+\S*\s+(?!box\b)[^\W\d]{2,}", re.IGNORECASE)  # a number before a name
MAILBOX = re.compile(r"\b(?:PMB|p\.?\s*o\.?\s*box)\b|\bmail\s?box\b", re.IGNORECASE)
IN_NAMES: Final = {
    "Pd",
    "Pf",
    "Zs",
    "Mn",
}  # Unicode categories: hyphens, apostrophes, spaces, accents
IN_BUSINESS_NAMES: Final = {*IN_NAMES, "Nd", "Pc", "Pe", "Pi", "Po", "Ps", "Sc", "Sk", "Sm"}


def is_po_box(address: Mapping[str, Any]) -> bool:
    """Return whether an address in the US is a P.O. box and no street address.

    Military addresses are boxes by nature, and accepted. Source: 31 CFR 1020.220(a)(2)(i)(A)(3).
    """
    if address.get("country") not in IN_THE_US or address.get("state") in MILITARY:
        return False
    lines = [str(address.get(part) or "") for part in ("line1", "line2")]
    streets = [PO_BOX.sub("", line, count=1) for line in lines]
    return streets != lines and not any(map(STREET.search, streets))


def may_be_mailbox(address: Mapping[str, Any]) -> bool:
    """Return whether an address in the US mentions a rented mailbox beside its street."""
    lines = f"{address.get('line1') or ''}\n{address.get('line2') or ''}"
    return address.get("country") in IN_THE_US and MAILBOX.search(lines) is not None


def is_elsewhere(address: Mapping[str, Any]) -> bool:
    """Return whether the ZIP code of an address in the US is in another state."""
    state, zip_code = str(address.get("state")), str(address.get("postal_code") or "")
    is_known = address.get("country") == "US" and state in STATES and ZIP_CODE.fullmatch(zip_code)
    return bool(is_known) and not may_be_in(zip_code, state)


def is_latin(name: str) -> bool:
    """Return whether a person's name has Latin letters alone, with spaces, hyphens and the like."""
    return any(map(str.isalpha, name)) and all(
        sign in ".,'`" or unicodedata.category(sign) in IN_NAMES or _is_latin_letter(sign)
        for sign in name
    )


def is_latin_business(name: str) -> bool:
    """Return whether the name of a business has Latin letters, digits and usual signs alone."""
    return all(
        sign in "®™" or unicodedata.category(sign) in IN_BUSINESS_NAMES or _is_latin_letter(sign)
        for sign in name
    )


def _is_latin_letter(sign: str) -> bool:
    return sign.isalpha() and unicodedata.name(sign, "").startswith("LATIN")


NEEDS_STREET = _(
    "Enter a street address, not a P.O. box. By law, we must know where you live. "
    "We can send mail to a P.O. box: enter it as the mailing address of the business."
)
NEEDS_STREET_OF_OWNER = _(
    "Enter a street address, not a P.O. box. By law, we must know where each owner lives."
)
NEEDS_STREET_OF_BUSINESS = _(
    "Enter a street address, not a P.O. box. By law, we must know where the business is. "
    "You can enter the P.O. box below as the mailing address."
)
IS_MAILBOX: StrOrPromise = _(
    "This looks like a rented mailbox. By law, we need the address of a home or a workplace."
)
IS_ELSEWHERE: StrOrPromise = _("This ZIP code does not seem to be in %(state)s.")
NOT_LATIN: StrOrPromise = _(
    "Enter the name in Latin letters, as in a US document or a passport. "
    "You can use spaces, hyphens and apostrophes."
)
NOT_LATIN_BUSINESS: StrOrPromise = _(
    "Enter the name in Latin letters, as in the documents of the business."
)
