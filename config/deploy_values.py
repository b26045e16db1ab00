"""Deployment checks of values: facts of the bank in their form, files for its users, retries."""

import math
import re
from collections.abc import Iterator
from email.utils import parseaddr
from typing import Final
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ValidationError
from django.core.validators import validate_email, validate_ipv46_address

from config import env
from foundation.passwords.guesses import count_guesses

SWIFT: Final = re.compile(r"[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?")
SAMPLES: Final = {  # the values of the sandbox
    "BANK_SWIFT": "VSTBUS33",
    "INTUIT_BANK_ID": "99999",
    "INTERMEDIARY_NAME": "Example Correspondent Bank",
    "INTERMEDIARY_SWIFT": "EXMPUS33",
}
IN_ONE_LINE: Final = ["BANK_NAME", "BANK_PHONE", "BANK_WEBSITE", "EMAIL_FROM", "INTERMEDIARY_NAME"]
SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")  # RFC 9110, section 11.1
MIN_GUESSES: Final = 10**8  # of the password of a service
LEAST_ATTEMPTS, SHORTEST_RETRIES = 3, 3_600  # attempts; seconds


def faults() -> Iterator[CheckMessage]:
    """Yield an error for each unsafe value.

    Looked at are facts of the bank, rights of files, passwords of services, retries and others.
    """
    yield from _fact_faults()
    yield from _file_faults()
    yield from _password_faults()
    yield from _retry_faults()
    yield from _other_faults()


def _fact_faults() -> Iterator[CheckMessage]:
    for name, sample in SAMPLES.items():
        if getattr(settings, name) == sample:
            hint = "Set the bank's own: customers read it in letters, and money goes by it."
            yield Error(f"{name} is the sample's.", hint=hint, id="vestibule.E068")
    for name in ["BANK_SWIFT", "INTERMEDIARY_SWIFT"]:
        if not SWIFT.fullmatch(getattr(settings, name)):
            hint = "Write the 8 or 11 capital letters and digits of the BIC."
            yield Error(f"{name} is no SWIFT code.", hint=hint, id="vestibule.E069")
    for name in IN_ONE_LINE:
        if not env.text(name).isprintable():
            hint = "Write it in one line: the headers of mails have no others."
            yield Error(f"{name} has a line break.", hint=hint, id="vestibule.E070")
    try:
        validate_email(parseaddr(settings.DEFAULT_FROM_EMAIL)[1])
    except ValidationError:
        hint = "Write an address, or a name and <address>."
        yield Error("EMAIL_FROM is no email address.", hint=hint, id="vestibule.E071")


def _file_faults() -> Iterator[CheckMessage]:
    file = settings.LETTER_SIGNING_FILE
    if file.is_file() and file.stat().st_mode & 0o007:
        hint = "Give it to the users of web and workers, chmod 440: others could sign letters."
        yield Error("LETTER_SIGNING_FILE can be read by everybody.", hint=hint, id="vestibule.E072")
    if settings.DATA_DIR.is_dir() and settings.DATA_DIR.stat().st_mode & 0o002:
        hint = "Name a folder of the service's user: others could replace uploads and messages."
        yield Error("DATA_DIR can be written by everybody.", hint=hint, id="vestibule.E073")


def _password_faults() -> Iterator[CheckMessage]:
    brokers = [urlsplit(one).password for one in settings.CELERY_BROKER_URL.split(";")]
    found = {
        "DATABASE_URL": [str(settings.DATABASES["default"].get("PASSWORD") or "")],
        "DATABASE_REPLICA_URL": [str(settings.DATABASE_REPLICA.get("PASSWORD") or "")],
        "CELERY_BROKER_URL": [unquote(one) for one in brokers if one],
        "EMAIL_HOST_PASSWORD": [settings.EMAIL_HOST_PASSWORD],
    }
    for name, passwords in found.items():
        if any(one and count_guesses(one) < MIN_GUESSES for one in passwords):
            hint = "Generate one of at least 16 random bytes."
            yield Error(f"{name} has a guessable password.", hint=hint, id="vestibule.E074")


def _retry_faults() -> Iterator[CheckMessage]:
    delays = settings.RETRY_DELAYS
    are_times = all(0 <= delay < math.inf for delay in delays)
    if not are_times or len(delays) < LEAST_ATTEMPTS or sum(delays) < SHORTEST_RETRIES:
        hint = "Unset it: a partner that is away for an hour would miss events, or be flooded."
        fault = "RETRY_DELAYS must be three times or more, and last an hour in all."
        yield Error(fault, hint=hint, id="vestibule.E075")


def _other_faults() -> Iterator[CheckMessage]:
    if "BUILT_IN" not in settings.CHECK_PROVIDERS:
        hint = "Name BUILT_IN: nobody would be looked for in the sanctions list."
        yield Error("CHECK_PROVIDERS lacks BUILT_IN.", hint=hint, id="vestibule.E076")
    if not SCHEME.fullmatch(settings.LEAD_API_SCHEME):
        hint = "Write a word, as the Authorization header has it."
        yield Error("LEAD_API_SCHEME is no scheme.", hint=hint, id="vestibule.E077")
    if any(not one.startswith("https://") for one in settings.CLIENT_DOCUMENT_PROBES):
        hint = (
            "Name https:// addresses of assistants: whoever answers them decides what is offered."
        )
        yield Error("CLIENT_DOCUMENT_PROBES is without TLS.", hint=hint, id="vestibule.E078")
    host = urlsplit(settings.BASE_URL).hostname or ""
    try:
        validate_ipv46_address(host)
    except ValidationError:
        return
    hint = "Name a host: browsers make no passkeys for addresses."
    yield Error("BASE_URL is an IP address.", hint=hint, id="vestibule.E079")
