"""Retry-After: the delay that a busy server asks its clients for."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

STATUSES: Final = {429, 503}  # of a busy server; the header of others does not count
SECONDS: Final = re.compile(r"[0-9]+")
LONGEST_NUMBER = 9


def read_retry_after(
    status: int, headers: Mapping[str, str], *, at: datetime, longest: timedelta
) -> timedelta | None:
    """Return the delay in Retry-After, `longest` at most; None without a valid delay.

    None for a status that is not in STATUSES, too.

    Source: RFC 9110 section 10.2.3: seconds or a date.
    """
    value = headers.get("Retry-After", "").strip()
    if status not in STATUSES or not value:
        return None
    if SECONDS.fullmatch(value):
        seconds = int(value) if len(value) <= LONGEST_NUMBER else 10**LONGEST_NUMBER
        return min(timedelta(seconds=seconds), longest)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    wait = (until if until.tzinfo else until.replace(tzinfo=UTC)) - at
    return min(max(wait, timedelta(0)), longest)
