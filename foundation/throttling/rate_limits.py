"""Count events per subject and window in one statement, and refuse those over a limit.

The counters are rows of `settings.RATE_WINDOW_MODEL`, a subclass of `AbstractRateWindow`: this
package has no tables of its own.
"""

import logging
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from ipaddress import IPv6Address
from typing import Any, Self

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection, models

from foundation.database import prepared_statements
from foundation.database.timestamps import aware
from foundation.metrics import declared as metrics
from foundation.throttling import recent_writes

logger = logging.getLogger(__name__)
WINDOW = timedelta(minutes=1)
CLOCKS = timedelta(minutes=1)  # tolerated difference between the clocks of two machines
NO_LIMIT = 2**31 - 1
COUNT = """
    INSERT INTO {table} AS held (subject, count, expires_at)
    VALUES {rows}
    ON CONFLICT (subject) DO UPDATE SET
        count = CASE WHEN held.expires_at > %s AND held.expires_at <= %s
            THEN held.count + 1 ELSE 1 END,
        expires_at = CASE
            WHEN held.expires_at > %s AND held.expires_at <= %s AND held.count + 1 <> %s
            THEN held.expires_at
            ELSE excluded.expires_at
        END
    RETURNING subject, count, expires_at
"""
WITH_WRITER = """
    WITH counted AS ({count})
    SELECT * FROM counted
    UNION ALL SELECT subject, count, expires_at FROM {table} WHERE subject = %s AND expires_at > %s
"""  # of PostgreSQL


class RateWindowQuerySet(models.QuerySet["AbstractRateWindow"]):
    """Windows of subjects."""

    def current(self, *, at: Any, latest: Any) -> Self:
        """Return windows that have begun and not ended; `latest` is the `latest_end` of `at`."""
        return self.filter(expires_at__gt=at, expires_at__lte=latest)


class AbstractRateWindow(models.Model):
    """A counter; the first event after `expires_at` starts it again.

    A subject names the kind of event and the caller: `calls:<access key>`, `creates:…`.
    """

    subject = models.CharField(max_length=120, primary_key=True)
    count = models.PositiveIntegerField()
    expires_at = models.DateTimeField(db_index=True)

    objects = RateWindowQuerySet.as_manager()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.count} by {self.subject}"


class RateLimited(Exception):
    """A subject exceeded a limit in its current window; the metrics count it by its kind.

    `is_first` tells the first event that was refused in the window from later ones.
    """

    def __init__(self, usage: "Usage", *, of: str) -> None:
        metrics.LIMIT_REFUSALS.count(of.partition(":")[0])
        self.is_first = usage.remaining == -1  # of those refused in this window
        self.usage = Usage(usage.limit, 0, usage.reset_seconds)
        super().__init__(f"{usage.limit} are spent; anew in {usage.reset_seconds} seconds")


@dataclass(frozen=True, slots=True)
class WindowCount:
    """The number of a subject's events in the window that ends at `expires_at`."""

    subject: str
    count: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """The rest of a limit: `remaining` of `limit`, until it resets in `reset_seconds`.

    `wrote` says whether the writer that was asked about wrote a moment ago.
    """

    limit: int
    remaining: int
    reset_seconds: int
    wrote: bool = False

    @classmethod
    def of(
        cls,
        held: WindowCount | AbstractRateWindow,
        *,
        limit: int,
        at: datetime,
        window: timedelta = WINDOW,
    ) -> Self:
        """Return the rest of a limit; `remaining` is negative once the limit is exceeded."""
        left = min(held.expires_at - at, window)  # a call at the same time may be a little later
        return cls(limit, limit - held.count, max(math.ceil(left.total_seconds()), 1))


def network_of(address: str) -> str:
    """Return the address that limits count a caller under: of IPv6, the first of its /64.

    One customer of a network is given 2^64 IPv6 addresses or more.
    """
    if ":" not in address:
        return address
    caller = IPv6Address(address)
    return str(caller.ipv4_mapped or IPv6Address(int(caller) >> 64 << 64))


def latest_end(at: datetime, *, window: timedelta = WINDOW) -> datetime:
    """Return the latest end that a window which has begun can have.

    A window that begins in the future was counted before the clock was set back, and is over.
    """
    return at + window + CLOCKS


def per_minute(limit: int) -> int:
    """Return a limit multiplied by RATE_LIMIT_FACTOR, rounded up; 0 where limits are off."""
    return math.ceil(limit * settings.RATE_LIMIT_FACTOR)


def spend(
    allowances: Mapping[str, int], *, at: datetime, window: timedelta = WINDOW, writer: str = ""
) -> Usage | None:
    """Count one event of each subject against its limit per window.

    `allowances` has the limits by subject, before `per_minute` scales them. Every subject is
    counted, even if one limit is exceeded. With a replica, the same statement tells whether the
    `writer` wrote a moment ago.
    Shape: the usage of the tightest limit; None if limits are off.
    Raises: RateLimited.
    """
    if settings.RATE_LIMIT_FACTOR == 0:
        return None
    limits = {subject: per_minute(limit) for subject, limit in allowances.items()}
    writer = recent_writes.subject_of(writer) if writer and settings.DATABASE_REPLICA else ""
    counted = count(allowances, at=at, window=window, writer=writer)
    usages = [
        (Usage.of(held, limit=limits[held.subject], at=at, window=window), held.subject)
        for held in counted
        if held.subject != writer
    ]
    tightest, subject = min(usages, key=lambda usage: usage[0].remaining)
    if tightest.remaining < 0:
        raise RateLimited(tightest, of=subject)
    return replace(tightest, wrote=True) if len(counted) > len(usages) else tightest


def spend_if_writable(
    allowances: Mapping[str, int], *, at: datetime, writer: str = ""
) -> Usage | None:
    """Count as `spend` does; return None if the count cannot be written. For calls that only read.

    A full or read-only disk takes no count, and still answers reads. Raises: RateLimited.
    """
    try:
        return spend(allowances, at=at, writer=writer)
    except DatabaseError as exc:
        logger.critical("calls cannot be counted", exc_info=exc)
        return None


def count(
    subjects: Iterable[str],
    *,
    at: datetime,
    window: timedelta = WINDOW,
    hold_at: int = NO_LIMIT,
    writer: str = "",
) -> list[WindowCount]:
    """Count one event of each subject, in one statement, and return the counts.

    The event that reaches `hold_at` starts a whole window for the following ones. The row of the
    subject `writer` is returned, too, if it has not expired.
    """
    subjects = sorted(set(subjects))  # one order everywhere, so that no two statements deadlock
    times = (at, at + window, latest_end(at, window=window))
    now, end, latest = map(connection.ops.adapt_datetimefield_value, times)
    rows = ", ".join(["(%s, 1, %s)"] * len(subjects))
    values: list[Any] = [value for subject in subjects for value in (subject, end)]
    table = apps.get_model(settings.RATE_WINDOW_MODEL)._meta.db_table
    statement = COUNT.format(table=table, rows=rows)
    values += [now, latest, now, latest, hold_at]
    if writer:
        statement = WITH_WRITER.format(count=statement, table=table)
        values += [writer, now]
    counted = prepared_statements.fetch(statement, values)
    return [WindowCount(subject, number, aware(end)) for subject, number, end in counted]
