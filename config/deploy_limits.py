"""Deployment checks of limits: each must be on, and low enough to protect the service."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.checks import CheckMessage, Error

MIB: Final = 1024**2
BOUNDS: Final[dict[str, tuple[str, float, float]]] = {  # variable: setting or its item, bounds
    "TRUSTED_PROXIES": ("TRUSTED_PROXIES", 0, 5),
    "WEB_WORKERS": ("WEB_WORKERS", 1, 256),
    "WEB_THREADS": ("WEB_THREADS", 1, 64),
    "WORKER_THREADS": ("CELERY_WORKER_CONCURRENCY", 1, 512),
    "DRAIN_SECONDS": ("DRAIN_SECONDS", 0, 300),
    "STOP_SECONDS": ("STOP_SECONDS", 1, 600),
    "EXPORT_SECONDS": ("EXPORT_SECONDS", 1, 3_600),
    "REPLICA_LAG_SECONDS": ("REPLICA_LAG_SECONDS", 2, 300),
    "ACCESS_LOG_MONTHS": ("ACCESS_LOG_MONTHS", 0, 1_200),
    "ORPHANS_KEPT_DAYS": ("ORPHANS_KEPT_FOR", 1, 3_660),
    "RATE_LIMIT_FACTOR": ("RATE_LIMIT_FACTOR", 0.01, 100),
    "BODIES_PER_NETWORK": ("BODIES_PER_NETWORK", 1, 128),
    "CALLS_PER_MINUTE": ("CALLS_PER_MINUTE", 1, 100_000),
    "CREATES_PER_MINUTE": ("CREATES_PER_MINUTE", 1, 100_000),
    "FAILED_AUTHENTICATIONS_PER_MINUTE": ("FAILED_AUTHENTICATIONS_PER_MINUTE", 1, 100),
    "SIGN_IN_FAILURES": ("AXES_FAILURE_LIMIT", 1, 100),
    "SIGN_INS_PER_MINUTE": ("SIGN_INS_PER_MINUTE", 1, 1_000),
    "REGISTRATIONS_PER_HOUR": ("REGISTRATIONS_PER_HOUR", 1, 100_000),
    "TOOL_CALLS_PER_MINUTE": ("TOOL_CALLS_PER_MINUTE", 1, 10_000),
    "TOOL_DOWNLOADS_PER_MINUTE": ("TOOL_DOWNLOADS_PER_MINUTE", 1, 1_000),
    "SECOND_PERSON_WAIT_DAYS": ("SECOND_PERSON_WAIT", 1, 90),
    "ANCHOR_LOCK_DAYS": ("ANCHOR_LOCK", 30, 36_500),
    "STAFF_SESSION_MINUTES": ("STAFF_SESSION_LIFETIME", 1, 12 * 60),
    "API_KEY_DAYS": ("API_KEY_LIFETIME", 1, 2 * 366),
    "SECRET_GRACE_HOURS": ("SECRET_GRACE", 0, 7 * 24),
    "JSON_MAX_BYTES": ("JSON_MAX_BYTES", 1024, 16 * MIB),
    "JSON_MAX_DEPTH": ("JSON_MAX_DEPTH", 4, 200),
    "DOCUMENT_MAX_BYTES": ("DOCUMENT_MAX_BYTES", 1024, 256 * MIB),
    "DOCUMENTS_MAX_PER_REQUEST": ("DOCUMENTS_MAX_PER_REQUEST", 1, 100),
    "DOCUMENTS_MAX_BYTES_PER_REQUEST": ("DOCUMENTS_MAX_BYTES_PER_REQUEST", 1024, 512 * MIB),
    "DOCUMENTS_MAX_PER_LEAD": ("DOCUMENTS_MAX_PER_LEAD", 1, 10_000),
    "DOCUMENT_URLS_MAX_PER_REQUEST": ("DOCUMENT_URLS_MAX_PER_REQUEST", 0, 100),
    "FEED_LINE_MAX_BYTES": ("FEED_LINE_MAX_BYTES", 1024, 256 * MIB),
    "FEED_BODY_MAX_BYTES": ("FEED_BODY_MAX_BYTES", 1024, 4096 * MIB),
    "FEED_CHUNK_LINES": ("FEED_CHUNK_LINES", 1, 10_000),
    "FEED_ATOMIC_LINES": ("FEED_ATOMIC_LINES", 1, 100_000),
    "FEED_OUTCOME_DAYS": ("FEED_OUTCOME_DAYS", 1, 3_660),
    "OWNERS_MAX_PER_LEAD": ("OWNERS_MAX_PER_LEAD", 1, 100),
    "SANCTIONS_LIST_DAYS": ("SANCTIONS_LIST_DAYS", 1, 14),
    "PEP_LIST_DAYS": ("PEP_LIST_DAYS", 1, 366),
    "REVIEW_MONTHS_HIGH": ("REVIEW_MONTHS.HIGH", 1, 24),
    "REVIEW_MONTHS_MEDIUM": ("REVIEW_MONTHS.MEDIUM", 1, 60),
    "REVIEW_MONTHS_LOW": ("REVIEW_MONTHS.LOW", 1, 120),
    "REVIEW_OPENED_DAYS": ("REVIEW_OPENED_BEFORE", 0, 366),
    "REVIEW_IDENTITY_DAYS": ("REVIEW_IDENTITY_BEFORE", 0, 366),
    "VERIFICATION_HOURS": ("VERIFICATION_DEADLINE", 1, 30 * 24),
    "VERIFICATION_WAIT_SECONDS": ("VERIFICATION_WAIT", 0, 24 * 3600),
}
SCALED: Final = {  # by RATE_LIMIT_FACTOR
    *("CALLS_PER_MINUTE", "CREATES_PER_MINUTE", "FAILED_AUTHENTICATIONS_PER_MINUTE"),
    *("SIGN_INS_PER_MINUTE", "REGISTRATIONS_PER_HOUR"),
    *("TOOL_CALLS_PER_MINUTE", "TOOL_DOWNLOADS_PER_MINUTE"),
}
UNITS: Final = {
    "ORPHANS_KEPT_DAYS": timedelta(days=1),
    "SECOND_PERSON_WAIT_DAYS": timedelta(days=1),
    "ANCHOR_LOCK_DAYS": timedelta(days=1),
    "STAFF_SESSION_MINUTES": timedelta(minutes=1),
    "API_KEY_DAYS": timedelta(days=1),
    "SECRET_GRACE_HOURS": timedelta(hours=1),
    "REVIEW_OPENED_DAYS": timedelta(days=1),
    "REVIEW_IDENTITY_DAYS": timedelta(days=1),
    "VERIFICATION_HOURS": timedelta(hours=1),
    "VERIFICATION_WAIT_SECONDS": timedelta(seconds=1),
}


def faults() -> Iterator[CheckMessage]:
    """Yield an error for each limit outside its bounds, in the order of `BOUNDS`."""
    for variable, (setting, least, most) in BOUNDS.items():
        name, _, item = setting.partition(".")
        value = getattr(settings, name)[item] if item else getattr(settings, name)
        if unit := UNITS.get(variable):
            value /= unit
        if not least <= value <= most:
            fault = f"{variable} must be between {least:,} and {most:,}; it is {value:,g}."
            hint = "Unset it to get the default, or choose a value between these bounds."
            yield Error(fault, hint=hint, id="vestibule.E014")
        elif variable in SCALED and value * settings.RATE_LIMIT_FACTOR > most:
            scaled = value * settings.RATE_LIMIT_FACTOR
            fault = f"{variable} times RATE_LIMIT_FACTOR is {scaled:,.0f}, above {most:,}."
            hint = "Lower either: guesses of keys and passwords would hardly be limited."
            yield Error(fault, hint=hint, id="vestibule.E063")
