"""The rules of the contract that no framework has ready, for every peer that validates."""

import re
from collections.abc import Iterable
from datetime import date
from decimal import ROUND_DOWN, Decimal

import phonenumbers

from banking.us_states import STATES
from onboarding.geography import COUNTRIES, US_TERRITORIES

SSN = re.compile(r"(?!000|666)[0-9]{3}(-?)(?!00)[0-9]{2}\1(?!0000)[0-9]{4}")
EIN = re.compile(
    r"(?:0[1-6]|1[0-6]|2[0-7]|3[0-9]|4[0-8]|5[0-9]|6[0-8]|7[1-7]|8[0-8]|9[0-589])-?[0-9]{7}"
)
DUNS = re.compile(r"[0-9]{9}|[0-9]{2}-[0-9]{3}-[0-9]{4}")
NAICS = re.compile(r"[0-9]{2,6}")
ZIP_CODE = re.compile(r"[0-9]{5}(?:-[0-9]{4})?")
PHONE_NUMBER = re.compile(r"\+[1-9][0-9]{1,14}")
BUSINESS_TYPES = ("DBA", "LLC", "MMLLC", "GENERAL_PARTNERSHIP", "LLP", "S_CORP", "SSN", "C_CORP")
OWNER_ROLES = ("PARTNER", "PARTNER_FULL_ACCESS")
FILE_TYPES = (
    "IRS_EIN_LETTER",
    "ARTICLES_OF_ORGANIZATION",
    "LETTER_OF_REINSTATEMENT",
    "GOVERNMENT_IDENTIFICATION",
    "ARTICLES_OF_INCORPORATION",
    "SIGNED_PARTNERSHIP_AGREEMENT",
    "AMENDMENT_DOCUMENT",
    "OPERATING_AGREEMENT",
    "UTILITY_BILL",
)
OWNERS_MAX, ANSWERS_MAX, DOCUMENTS_MAX, DOCUMENT_MAX_BYTES = 10, 100, 10, 10 * 1024**2
METADATA_KEYS_MAX, METADATA_KEY_MAX, METADATA_VALUE_MAX = 50, 40, 500


def matching(pattern: re.Pattern, text: str, what: str) -> str:
    """Return the text if it has the shape, or is empty. Raises: ValueError."""
    if text and not pattern.fullmatch(text):
        raise ValueError(f"This is no {what}.")
    return text


def ssn(text: str) -> str:
    """Return the nine digits."""
    return matching(SSN, text, "SSN").replace("-", "")


def ein(text: str) -> str:
    """Return the nine digits."""
    return matching(EIN, text, "EIN").replace("-", "")


def duns(text: str) -> str:
    """Return the nine digits."""
    return matching(DUNS, text, "DUNS number").replace("-", "")


def naics_code(text: str) -> str:
    """Return the code."""
    return matching(NAICS, text, "NAICS code")


def phone_number(text: str) -> str:
    """Return the number in E.164."""
    if not text:
        return text
    matching(PHONE_NUMBER, text, "phone number")
    try:
        number = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        raise ValueError("This is no phone number.") from None
    if not phonenumbers.is_possible_number(number):
        raise ValueError("This is no phone number.")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def country(text: str) -> str:
    """Return the ISO 3166 code in upper case."""
    if text and text.upper() not in COUNTRIES:
        raise ValueError("This is no country.")
    return text.upper()


def state(text: str) -> str:
    """Return the USPS code in upper case."""
    if text and text.upper() not in STATES:
        raise ValueError("This is no state.")
    return text.upper()


def region(text: str) -> str:
    """Return a two-letter code in upper case, other names as they are."""
    return text.upper() if len(text) == 2 else text


def birth_date(born: date) -> date:
    """Return the birth date of somebody of 18 to 120 years."""
    today = date.today()  # noqa: DTZ011 - the peer's server has one time zone
    age = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    if not 18 <= age <= 120:
        raise ValueError("The person must be 18 to 120 years old.")
    return born


def percent(share: Decimal) -> Decimal:
    """Cut off what lies behind the fourth decimal place."""
    return share.quantize(Decimal("0.0001"), ROUND_DOWN)


def check_address(of_state: str, postal_code: str, of_country: str) -> None:
    """Check state and postal code by the country; none is the US. Raises: ValueError."""
    if of_country in {"", "US"}:
        state(of_state)
    if of_country in {"", "US"} or of_country in US_TERRITORIES:
        matching(ZIP_CODE, postal_code, "ZIP code")


def check_owners(
    email: str, share: Decimal | None, owners: Iterable[tuple[str, Decimal | None]]
) -> None:
    """Check that nobody is named twice and all own 100 % at most. Raises: ValueError."""
    owners = list(owners)
    emails = [address for address, _ in owners if address]
    if len(emails) != len(set(emails)):
        raise ValueError("Two owners have the same email.")
    others = [(of or Decimal(0)) for address, of in owners if address != email]
    own = max([share or Decimal(0), *((of or Decimal(0)) for a, of in owners if a == email)])
    if own + sum(others, Decimal(0)) > 100:
        raise ValueError("All shares sum to more than 100.")
