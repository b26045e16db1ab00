"""Validators: one function per kind of value that partners send, and rules between values.

A function of one value takes a stripped text that is not empty and returns its normal form, which
passes again unchanged. It raises InvalidValue, which never contains the value. Digits are ASCII.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

import phonenumbers
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.utils.dateparse import parse_datetime
from django.utils.ipv6 import is_valid_ipv6_address

from banking.us_states import STATES
from onboarding.errors import ErrorCode, Fault, InvalidValue
from onboarding.geography import COUNTRIES, US_TERRITORIES

PLACEHOLDERS: Final = ("first_name", "business_name", "partner_name", "reference")  # of templates
EMAIL_MAX: Final = 254
URL_MAX: Final = 2048
FILE_NAME_MAX: Final = 255
CONTENT_TYPE_MAX: Final = 127
IS_POSSIBLE: Final = phonenumbers.ValidationResult.IS_POSSIBLE
POSTAL_CODE_MAX: Final = 16
ADULT, OLDEST = 18, 120
WHOLE: Final = Decimal(100)
METADATA_KEYS_MAX, METADATA_KEY_MAX, METADATA_VALUE_MAX = 50, 40, 500
HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, bidi, zero width, surrogates
TEXT: Final = {"en": "a string", "es": "una cadena"}
VISIBLE: Final = {"en": "visible characters", "es": "caracteres visibles"}
TIMESTAMP: Final = {"en": "an ISO 8601 timestamp", "es": "una fecha y hora ISO 8601"}
STORABLE: Final = {
    "en": "text without NUL and lone surrogates",
    "es": "texto sin NUL ni sustitutos sueltos",
}

PHONE_NUMBER = re.compile(r"\+[1-9][0-9]{1,14}")
SSN = re.compile(r"(?!000|666)[0-9]{3}(-?)(?!00)[0-9]{2}\1(?!0000)[0-9]{4}")
EIN = re.compile(  # Source: IRS, "How EINs are assigned and valid EIN prefixes"
    r"(?:0[1-6]|1[0-6]|2[0-7]|3[0-9]|4[0-8]|5[0-9]|6[0-8]|7[1-7]|8[0-8]|9[0-589])-?[0-9]{7}"
)
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
ZIP_CODE = re.compile(r"[0-9]{5}(?:-[0-9]{4})?")
NAICS_CODE = re.compile(r"[0-9]{2,6}")
DUNS = re.compile(r"[0-9]{9}|[0-9]{2}-[0-9]{3}-[0-9]{4}")
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
URL = re.compile(
    r"https://"
    r"(?P<host>(?=[^/:?#]{1,253}(?:[/:?#]|\Z))"
    r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?"
    r"|\[(?P<ipv6>[0-9a-f:.]{2,45})\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?:[/?#][!-\[\]-~]*)?",  # visible ASCII except the backslash, which browsers read as a slash
    re.IGNORECASE | re.ASCII,
)
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 - a token of RFC 9110, not a secret
_RESTRICTED_NAME = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*"
CONTENT_TYPE = re.compile(
    rf"(?P<essence>{_RESTRICTED_NAME}/{_RESTRICTED_NAME})"
    # whitespace has one place in each branch: two would cause catastrophic backtracking
    rf'(?:[ \t]*;(?:[ \t]*{_TOKEN}=(?:{_TOKEN}|"(?:[\t !#-\[\]-~]|\\[\t -~])*"))?)*'
)

_check_email = EmailValidator(allowlist=[])


# One value


def email(text: str) -> str:
    """Return the email address in lower case.

    International domains must be in ASCII form, `xn--…`: addresses that look equal must be equal.
    """
    text = text.strip()
    _require_short(text, EMAIL_MAX)
    if not _is_visible_ascii(text):
        raise InvalidValue(ErrorCode.INVALID_EMAIL)
    try:
        _check_email(text)
    except ValidationError:
        raise InvalidValue(ErrorCode.INVALID_EMAIL) from None
    return text.lower()


def phone_number(text: str) -> str:
    """Return the number in E.164 if its length is possible in its country.

    A trunk prefix is dropped: +44 020… is +44 20….
    """
    normal = _e164(text)
    if normal != text and _e164(normal) != normal:
        raise InvalidValue(ErrorCode.INVALID_PHONE_NUMBER)
    return normal


def ssn(text: str) -> str:
    """Return the nine digits of an SSN, or of an ITIN, which begins with 9.

    Source: SSA, POMS RM 10201.035: area 000 and 666, group 00, serial 0000 are never assigned.
    """
    _require_match(SSN, text, ErrorCode.INVALID_SSN)
    return text.replace("-", "")


def ein(text: str) -> str:
    """Return the nine digits of an EIN with a prefix that the IRS assigns."""
    _require_match(EIN, text, ErrorCode.INVALID_EIN)
    return text.replace("-", "")


def iso_date(text: str) -> date:
    """Return the date of a text `YYYY-MM-DD`."""
    try:
        if DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise InvalidValue(ErrorCode.INVALID_DATE)


def timestamp(text: str) -> datetime:
    """Return an ISO 8601 timestamp with offset as a datetime in UTC."""
    try:
        found = parse_datetime(text)
        if found and found.tzinfo:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InvalidValue(ErrorCode.INVALID_FORMAT, expected=TIMESTAMP)


def past_date(text: str, *, today: date) -> date:
    """Return a date of today or earlier."""
    found = iso_date(text)
    if found > today:
        raise InvalidValue(ErrorCode.INVALID_DATE)
    return found


def birth_date(text: str, *, today: date) -> date:
    """Return the birth date of a person who is 18 to 120 years old.

    A person born on 29 February turns 18 on 1 March of a common year.
    """
    born = iso_date(text)
    age = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    if born > today or age > OLDEST:
        raise InvalidValue(ErrorCode.INVALID_DATE)
    if age < ADULT:
        raise InvalidValue(ErrorCode.UNDERAGE_PERSON)
    return born


def state(text: str) -> str:
    """Return the USPS code of a state or territory in upper case."""
    code = text.upper()
    if not text.isascii() or code not in STATES:  # upper() makes "FL" of a ligature
        raise InvalidValue(ErrorCode.INVALID_STATE)
    return code


def region(text: str) -> str:
    """Return the state or region of an address: two letters in upper case, else unchanged."""
    is_code = len(text) == 2 and text.isascii()
    return text.upper() if is_code else text


def country(text: str) -> str:
    """Return the ISO 3166 alpha-2 code in upper case."""
    code = text.upper()
    if not text.isascii() or code not in COUNTRIES:
        raise InvalidValue(ErrorCode.INVALID_COUNTRY)
    return code


def postal_code(text: str, *, country: str) -> str:
    """Return the postal code unchanged if it has the format of its country.

    `country` is a code in upper case; an empty code means the US. Outside the US and its
    territories, up to POSTAL_CODE_MAX printable ASCII characters are accepted.
    """
    if country in {"", "US"} or country in US_TERRITORIES:
        fits = ZIP_CODE.fullmatch(text) is not None
    else:
        fits = len(text) <= POSTAL_CODE_MAX and text.isascii() and text.isprintable()
    if not fits:
        raise InvalidValue(ErrorCode.INVALID_POSTAL_CODE)
    return text


def naics_code(text: str) -> str:
    """Return the two to six digits; whether NAICS has the code is not checked here."""
    _require_match(NAICS_CODE, text, ErrorCode.INVALID_NAICS_CODE)
    return text


def duns(text: str) -> str:
    """Return the nine digits of a DUNS number; dashes are accepted as in 12-345-6789."""
    _require_match(DUNS, text, ErrorCode.INVALID_DUNS)
    return text.replace("-", "")


def https_url(text: str) -> str:
    """Return the URL with scheme and host in lower case; credentials are refused.

    Source: RFC 3986, in visible ASCII: other characters are percent-encoded, a host is `xn--…`.
    """
    _require_short(text, URL_MAX)
    parts = URL.fullmatch(text)
    if parts is None or not _is_reachable(parts["ipv6"], parts["port"]):
        raise InvalidValue(ErrorCode.INVALID_URL)
    end_of_host = parts.end("host")
    return text[:end_of_host].lower() + text[end_of_host:]


def file_name(text: str) -> str:
    """Return the file name if it has no path and no invisible characters."""
    _require_short(text, FILE_NAME_MAX)
    if not text or text in {".", ".."} or "/" in text or "\\" in text or _hides(text):
        raise InvalidValue(ErrorCode.INVALID_FILE_NAME)
    return text


def visible(text: str) -> str:
    """Return a text without the invisible characters that copied text may have.

    Line breaks are kept. Never raises InvalidValue.
    """
    return "".join(
        sign for sign in text if sign in "\r\n" or unicodedata.category(sign) not in HIDDEN
    )


def content_type(text: str) -> str:
    """Return the MIME type with type and subtype in lower case, parameters unchanged.

    Source: RFC 6838 section 4.2 for the names, RFC 9110 section 8.3.1 for the parameters.
    """
    _require_short(text, CONTENT_TYPE_MAX)
    parts = CONTENT_TYPE.fullmatch(text)
    if parts is None:
        raise InvalidValue(ErrorCode.INVALID_CONTENT_TYPE)
    return parts["essence"].lower() + text[parts.end("essence") :]


# Several values; the paths of faults have API names


def ownership_faults(
    applicant_email: str | None,
    applicant_percent: Decimal | None,
    owners: Sequence[Mapping[str, Any]],
) -> list[Fault]:
    """Return the faults of the owners: too many, a repeated email, shares above 100 in total.

    An owner with the applicant's email is the applicant and counts once, by the larger share.
    Shape: faults at `/uboList` and below.
    Units: percent, 0 to 100.
    """
    if len(owners) > settings.OWNERS_MAX_PER_LEAD:
        limit = settings.OWNERS_MAX_PER_LEAD
        allowed = {
            "en": f"a list of at most {limit} owners",
            "es": f"una lista de {limit} propietarios como máximo",
        }
        return [Fault(ErrorCode.VALUE_OUT_OF_RANGE, ("uboList",), {"range": allowed})]
    emails = [_folded(owner.get("email")) for owner in owners]
    faults = [
        Fault(ErrorCode.DUPLICATE_UBO_EMAIL, ("uboList", position, "email"))
        for position, address in enumerate(emails)
        if address and address in emails[:position]
    ]
    if ownership_total(applicant_email, applicant_percent, owners) > WHOLE:
        faults.append(Fault(ErrorCode.OWNERSHIP_TOTAL_EXCEEDED, ("uboList",)))
    return faults


def ownership_total(
    applicant_email: str | None,
    applicant_percent: Decimal | None,
    owners: Sequence[Mapping[str, Any]],
) -> Decimal:
    """Return the sum of all shares; an email that occurs twice counts once, by the larger share.

    Units: percent.
    """
    shares = [(_folded(applicant_email), applicant_percent)]
    shares += [(_folded(owner.get("email")), owner.get("ownership_percent")) for owner in owners]
    return _total(shares)


def address_faults(address: Mapping[str, Any], *, path: tuple[str | int, ...]) -> list[Fault]:
    """Return the faults of state and postal code for the country; no country means the US.

    Shape: faults at `state` and `postalCode` below `path`.
    """
    sent_state, sent_code = address.get("state"), address.get("postal_code")
    land = (address.get("country") or "").upper()
    faults = []
    try:
        if sent_state and land in {"", "US"}:
            state(sent_state)
    except InvalidValue as exc:
        faults.append(Fault(exc.code, (*path, "state"), exc.params))
    try:
        if sent_code:
            postal_code(sent_code, country=land)
    except InvalidValue as exc:
        faults.append(Fault(exc.code, (*path, "postalCode"), exc.params))
    return faults


def metadata_faults(
    metadata: Mapping[str, Any], *, path: tuple[str | int, ...] = ("metadata",)
) -> list[Fault]:
    """Return the faults of metadata: too many or too long, not strings, or not storable.

    A value of None is accepted.
    Shape: faults at the key below `path`; at `path` if the key is invalid or there are too many.
    """
    if len(metadata) > METADATA_KEYS_MAX:
        return [Fault(ErrorCode.METADATA_LIMIT_EXCEEDED, path)]
    return [
        fault.under(*path) for key, value in metadata.items() for fault in _pair_faults(key, value)
    ]


def _require_match(pattern: re.Pattern[str], text: str, code: ErrorCode) -> None:
    if not pattern.fullmatch(text):
        raise InvalidValue(code)


def _require_short(text: str, limit: int) -> None:
    if len(text) > limit:
        raise InvalidValue(ErrorCode.VALUE_TOO_LONG, limit=limit)


def _e164(text: str) -> str:
    _require_match(PHONE_NUMBER, text, ErrorCode.INVALID_PHONE_NUMBER)
    try:
        number = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        raise InvalidValue(ErrorCode.INVALID_PHONE_NUMBER) from None
    if phonenumbers.is_possible_number_with_reason(number) != IS_POSSIBLE:
        raise InvalidValue(ErrorCode.INVALID_PHONE_NUMBER)
    return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))


def _pair_faults(key: str, value: Any) -> Iterator[Fault]:
    if not 1 <= len(key) <= METADATA_KEY_MAX:
        yield Fault(ErrorCode.METADATA_LIMIT_EXCEEDED)
    elif not key.isprintable():
        yield Fault(ErrorCode.INVALID_FORMAT, (), {"expected": VISIBLE})
    elif value is None:
        return
    elif not isinstance(value, str):
        yield Fault(ErrorCode.INVALID_TYPE, (key,), {"expected": TEXT})
    elif len(value) > METADATA_VALUE_MAX:
        yield Fault(ErrorCode.METADATA_LIMIT_EXCEEDED, (key,))
    elif UNSTORABLE.search(value):
        yield Fault(ErrorCode.INVALID_FORMAT, (key,), {"expected": STORABLE})


def _total(shares: Sequence[tuple[str, Decimal | None]]) -> Decimal:
    anonymous = sum((share or Decimal(0) for email, share in shares if not email), Decimal(0))
    largest: dict[str, Decimal] = {}
    for address, share in shares:
        if address:
            largest[address] = max(share or Decimal(0), largest.get(address, Decimal(0)))
    return anonymous + sum(largest.values(), Decimal(0))


def _folded(address: str | None) -> str:
    return (address or "").strip().lower()


def _is_visible_ascii(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


def _hides(text: str) -> bool:
    if text.isprintable():
        return False
    return any(unicodedata.category(sign) in HIDDEN for sign in set(text))


def _is_reachable(ipv6: str | None, port: str | None) -> bool:
    return (ipv6 is None or is_valid_ipv6_address(ipv6)) and (
        port is None or 1 <= int(port) <= 65535
    )


def validate_placeholders(text: str) -> None:
    """Refuse a template's text with braces other than PLACEHOLDERS. Raises: ValidationError."""
    for name in PLACEHOLDERS:
        text = text.replace(f"{{{name}}}", "")
    if "{" in text or "}" in text:
        known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise ValidationError(f"Only these placeholders are known: {known}.")
