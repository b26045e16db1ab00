"""Checks of a production deployment, for `manage.py check --deploy`."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004 - Django's
from django.utils import timezone
from stdnum.us import rtn

from config import (
    deploy_anchors,
    deploy_broker,
    deploy_database,
    deploy_limits,
    deploy_transport,
    deploy_values,
    env,
)
from foundation.outbound.loopback import is_loopback
from foundation.passwords import breached_passwords
from foundation.passwords.guesses import count_guesses

SECRETS = [
    "SECRET_KEY",
    "SECRET_KEY_FALLBACKS",
    "API_KEY_PEPPER",
    "API_KEY_PEPPER_FALLBACKS",
    "LINK_KEY",
    "PII_KEYS",
    "PII_INDEX_KEYS",
]
MIN_SECRET_LENGTH = 32
MIN_DISTINCT_CHARACTERS = 8  # in a secret; random hexadecimal digits use about 16
MIN_GUESSES = 10**22  # of the first characters of a secret
PLACEHOLDER: Final = re.compile(
    r"change.?me|change.?this|replace|insecure|example|placeholder|your.?secret", re.IGNORECASE
)
DEVELOPMENT = "development"  # in every secret that `config.development_secrets` generates
TLS_SETTINGS = [
    "SECURE_SSL_REDIRECT",
    "SECURE_HSTS_SECONDS",
    "SESSION_COOKIE_SECURE",
    "CSRF_COOKIE_SECURE",
]
WEBSITE: Final = re.compile(r"(https://)?[a-z0-9-]+(\.[a-z0-9-]+)+(/[\w./-]*)?", re.IGNORECASE)
SAMPLE_HOST: Final = re.compile(r"(^|[@./])example\.(com|net|org)\b", re.IGNORECASE)
BANK_FACTS = ["BANK_NAME", "BANK_ADDRESS", "BANK_PHONE", "BANK_WEBSITE", "BANK_SWIFT", "EMAIL_FROM"]


@register(Tags.security, deploy=True)
def production_is_safe(**_options: Any) -> list[CheckMessage]:
    """Report unsafe settings of a production deployment: secrets, TLS, limits, facts of the bank.

    Of a sandbox it reports only that other machines can reach it.
    """
    if settings.IS_SANDBOX:
        return list(_sandbox_warnings())
    return [
        *_secret_faults(),
        *_tls_faults(),
        *_bank_faults(),
        *_fact_faults(),
        *_letter_faults(),
        *_document_faults(),
        *deploy_anchors.faults(),
        *_other_faults(),
        *deploy_limits.faults(),
        *deploy_transport.faults(),
        *deploy_broker.faults(),
        *deploy_database.faults(),
        *deploy_values.faults(),
    ]


def _sandbox_warnings() -> Iterator[CheckMessage]:
    if not is_loopback(urlsplit(settings.BASE_URL).hostname):
        hint = (
            "Set ENVIRONMENT=production for customers. In a sandbox mailed codes are 000000, "
            "checks are simulated and second factors may be off. Nothing else was checked."
        )
        yield Warning("This deployment is a sandbox.", hint=hint, id="vestibule.W001")


def _secret_faults() -> Iterator[CheckMessage]:
    hint = "Generate one of at least 32 random bytes."
    for name in [*SECRETS, *(["STATUS_TOKEN"] if settings.STATUS_TOKEN else [])]:
        if DEVELOPMENT in str(getattr(settings, name)):
            yield Error(f"{name} is a development secret.", hint=hint, id="vestibule.E001")
        parts = _random_parts(name)
        if any(PLACEHOLDER.search(part) for part in parts):
            yield Error(f"{name} is a placeholder.", hint=hint, id="vestibule.E067")
        if any(len(part) < MIN_SECRET_LENGTH for part in parts):
            fault = f"{name} has fewer than {MIN_SECRET_LENGTH} characters."
            yield Error(fault, hint=hint, id="vestibule.E006")
        if any(len(set(part)) < MIN_DISTINCT_CHARACTERS for part in parts):
            fault = f"{name} has fewer than {MIN_DISTINCT_CHARACTERS} different characters."
            yield Error(fault, hint=hint, id="vestibule.E010")
        if any(count_guesses(part) < MIN_GUESSES for part in parts):
            yield Error(f"{name} is easy to guess.", hint=hint, id="vestibule.E080")
        if any(_repeats(part) for part in parts):
            yield Error(f"{name} repeats a shorter text.", hint=hint, id="vestibule.E054")
    yield from _shared_secrets(hint)


def _repeats(text: str) -> bool:
    """Return whether a text repeats a beginning of at most half its length, like `abcabcab`."""
    return any(text[size:] == text[:-size] for size in range(1, len(text) // 2 + 1))


def _shared_secrets(hint: str) -> Iterator[CheckMessage]:
    """Yield an error for each two secrets of which one equals or contains the other.

    A leak of either would expose both. A secret in other case, or read from its end, is the same.
    """
    owners: dict[str, str] = {}
    for name in [*SECRETS, "STATUS_TOKEN"]:
        for part in filter(None, map(str.casefold, _random_parts(name))):
            one = min(part, part[::-1])
            if one in owners:
                other = owners[one]
                fault = f"{name} and {other} have the same value."
                if other == name:
                    fault = f"{name} has one value twice."
                yield Error(fault, hint=hint, id="vestibule.E011")
            for known, other in owners.items():
                forms = [part, part[::-1]]
                if one != known and any(form in known or known in form for form in forms):
                    fault = f"{name} and {other}: one contains the other."
                    yield Error(fault, hint=hint, id="vestibule.E011")
            owners.setdefault(one, name)


def _random_parts(name: str) -> list[str]:
    """Return the keys in a setting; those of personal numbers are each prefixed by an id."""
    secret: str | list[str] = getattr(settings, name)
    if name in {"PII_KEYS", "PII_INDEX_KEYS"} and isinstance(secret, str):
        return [key.partition(":")[2] for key in secret.split(",")]
    return [secret] if isinstance(secret, str) else secret


def _tls_faults() -> Iterator[CheckMessage]:
    for name in TLS_SETTINGS:
        if not getattr(settings, name):
            hint = "Unset TLS, or set it to true."
            yield Error(f"{name} is off.", hint=hint, id="vestibule.E003")
    if not settings.BASE_URL.startswith("https://"):
        hint = "Set it to the https:// address that the proxy serves."
        yield Error("BASE_URL is not https.", hint=hint, id="vestibule.E005")
    if settings.TLS and not settings.TRUSTED_PROXIES:
        hint = (
            "Say how many proxies of yours stand in front. The server speaks no TLS itself, and "
            "what a proxy says of TLS is not believed: every call would be redirected for ever."
        )
        yield Error("TRUSTED_PROXIES is 0.", hint=hint, id="vestibule.E007")


def _bank_faults() -> Iterator[CheckMessage]:
    hint = "Set it to the nine digits of the bank's own ABA routing number."
    if settings.BANK_ROUTING_NUMBER == settings.SANDBOX_ROUTING_NUMBER:
        yield Error("BANK_ROUTING_NUMBER is the sandbox's.", hint=hint, id="vestibule.E008")
    elif not rtn.is_valid(settings.BANK_ROUTING_NUMBER):
        yield Error("BANK_ROUTING_NUMBER is no routing number.", hint=hint, id="vestibule.E008")
    if settings.BANK_WEBSITE and not WEBSITE.fullmatch(settings.BANK_WEBSITE):
        hint = "Write the host as customers type it, such as bank.example.com."
        yield Error("BANK_WEBSITE is no address of a website.", hint=hint, id="vestibule.E056")


def _fact_faults() -> Iterator[CheckMessage]:
    """Yield an error for each fact of the bank that is missing or names a sample host."""
    hint = "Customers would read the sample's in letters, statements and mails."
    for name in BANK_FACTS:
        if not env.text(name):
            yield Error(f"{name} is not set.", hint=hint, id="vestibule.E012")
    for name in ["BANK_WEBSITE", "EMAIL_FROM"]:
        if SAMPLE_HOST.search(env.text(name)):
            fault = f"{name} is the sample's."
            yield Error(fault, hint=f"Name the bank's own. {hint}", id="vestibule.E068")


def _letter_faults() -> Iterator[CheckMessage]:
    if not settings.LETTER_SIGNING_FILE.is_file():
        hint = "Name a PEM file with the key that signs the bank's letters, and its certificate."
        yield Error("LETTER_SIGNING_FILE is missing.", hint=hint, id="vestibule.E009")
    elif not _is_signing_file(settings.LETTER_SIGNING_FILE, at=timezone.now()):
        hint = (
            "It holds a private key of EC P-256 or RSA with 2048 bits or more and, after it, its "
            "certificate, which is valid today; both in PEM."
        )
        yield Error("LETTER_SIGNING_FILE cannot sign.", hint=hint, id="vestibule.E055")


def _is_signing_file(file: Path, *, at: datetime) -> bool:
    """Return whether a file has a strong private key and its certificate, valid at that time."""
    try:
        key = load_pem_private_key(file.read_bytes(), None)
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
    except (ValueError, TypeError, OSError, UnsupportedAlgorithm):
        return False
    least = 256 if isinstance(key, EllipticCurvePrivateKey) else 2048
    is_valid = certificate.not_valid_before_utc <= at < certificate.not_valid_after_utc
    is_strong = getattr(key, "key_size", least) >= least  # keys of Ed25519 have one size
    return is_valid and is_strong and key.public_key() == certificate.public_key()


def _document_faults() -> Iterator[CheckMessage]:
    if settings.SCANNER == "none":
        hint = "Set it to clamd: staff would open files that nobody scanned for malware."
        yield Error("SCANNER is none.", hint=hint, id="vestibule.E025")
    if settings.UNENCRYPTED_FILES == "read":
        hint = "Unset it once `manage.py encrypt_files` has ended: a forged plain file is served."
        yield Warning("UNENCRYPTED_FILES is read.", hint=hint, id="vestibule.W006")
    if settings.DOCUMENT_STORAGE == "files":
        hint = (
            "Set it to s3, unless all programs run on this machine or share DATA_DIR: others find "
            "no document."
        )
        yield Warning("DOCUMENT_STORAGE is files.", hint=hint, id="vestibule.W009")


def _other_faults() -> Iterator[CheckMessage]:
    if settings.DEBUG:
        hint = "Unset it: error pages would show settings and personal data."
        yield Error("DEBUG is on.", hint=hint, id="vestibule.E002")
    if settings.LOG_LEVEL.upper() in {"ERROR", "CRITICAL", "FATAL"}:
        hint = "Refused sign-ins and files that were changed are warnings, which would be lost."
        yield Error(f"LOG_LEVEL is {settings.LOG_LEVEL.upper()}.", hint=hint, id="vestibule.E013")
    if settings.LOG_LEVEL.upper() in {"DEBUG", "NOTSET"}:
        hint = "Statements with personal data would be logged."
        yield Error(f"LOG_LEVEL is {settings.LOG_LEVEL.upper()}.", hint=hint, id="vestibule.E013")
    if not settings.OUTBOUND:
        hint = "Unset it, except in a restored copy: no mail, webhook or anchor leaves."
        yield Warning("OUTBOUND is off.", hint=hint, id="vestibule.W003")
    file = settings.BREACHED_PASSWORDS_FILE
    if not file:
        hint = (
            "Download Pwned Passwords as SHA-1 hashes, in the order of the hashes, and name the "
            "file on each machine of web: passwords stolen from other services are accepted."
        )
        yield Warning("BREACHED_PASSWORDS_FILE is not set.", hint=hint, id="vestibule.W010")
    elif not breached_passwords.is_sorted_file(Path(file)):
        hint = "Each line is a SHA-1 hash in capital hexadecimal digits; the lines are in order."
        yield Error("BREACHED_PASSWORDS_FILE is not sorted hashes.", hint=hint, id="vestibule.E024")
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        hint = "Set it to postgres://user:password@host/name?sslmode=verify-full."
        yield Error("DATABASE_URL names no PostgreSQL.", hint=hint, id="vestibule.E004")
