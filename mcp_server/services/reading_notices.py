"""Mails about what assistants read: the first use of a connection, and unusually much reading.

Mails name the host where a client's answers go, never the name that the client gave itself: an
attacker could write to a user through a name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce, TruncDate

from banking.choices import UserType
from banking.days import DAY
from banking.models import Business, BusinessOwner, User
from mcp_server.models import ANSWERED, OPENED_LINK, PAGES_CLIENT_ID, AccessLogEntry, Connection
from mcp_server.registry import TOOLS
from mcp_server.services import mails

MIN_CALLS, MIN_FILES = 300, 50  # about one business, in a day
TIMES_USUAL = 5  # the usual number is the average of the days of use in USUAL_DAYS
USUAL_DAYS = 30
MAIL_INTERVAL = timedelta(days=7)  # between two mails about one connection


@dataclass(frozen=True)
class Reading:
    """The number of a connection's calls about a business, and of the calls that took a file."""

    calls: int
    files: int

    def is_unusual(self, usual: "Reading") -> bool:
        """Return whether this is much more than the usual number of a day."""
        much = self.calls >= MIN_CALLS and self.calls >= TIMES_USUAL * usual.calls
        many_files = self.files >= MIN_FILES and self.files >= TIMES_USUAL * usual.files
        return much or many_files


def mail_first_uses(*, at: datetime) -> int:
    """Mail users whose new connection has read data for the first time; return how many."""
    read = AccessLogEntry.objects.filter(
        connection=OuterRef("pk"), outcome=ANSWERED, at__gte=OuterRef("consented_at")
    )
    waiting = Q(first_use_mailed_at=None) | Q(first_use_mailed_at__lt=F("consented_at"))
    used = Connection.objects.filter(waiting, Exists(read), consented_at__isnull=False)
    mailed = 0
    for connection in used.select_related("user").order_by("pk"):
        unmailed = Connection.objects.filter(waiting, pk=connection.pk)
        with transaction.atomic():
            if unmailed.update(first_use_mailed_at=at):  # another worker may have mailed it
                context = {"host": connection.client_host}
                mails.queue("first_use", to=connection.user.email, context=context, at=at)
                mailed += 1
    return mailed


def mail_unusual_use(*, at: datetime) -> int:
    """Mail users and owners of businesses about connections that read unusually much.

    Returns the number of connections.
    """
    mailed = 0
    for connection in _busy_connections(at=at):
        found = list(_unusual(connection, at=at))
        unmailed = _unmailed(at=at).filter(pk=connection.pk)
        with transaction.atomic():
            if found and unmailed.update(unusual_use_mailed_at=at):
                for business, reading, usual in found:
                    _mail_unusual(connection, business, reading, usual, at=at)
                mailed += 1
    return mailed


def _unmailed(*, at: datetime) -> QuerySet[Connection]:
    lately = Q(unusual_use_mailed_at__gt=at - MAIL_INTERVAL)
    return Connection.objects.exclude(application__client_id=PAGES_CLIENT_ID).exclude(lately)


def _busy_connections(*, at: datetime) -> QuerySet[Connection]:
    """Return the connections with enough calls in the last day to be unusual.

    Connections with such a mail within MAIL_INTERVAL, and users' own pages, are left out.
    """
    counted = (
        AccessLogEntry.objects.filter(connection=OuterRef("pk"), at__gt=at - DAY)
        .order_by()
        .values("connection")
        .annotate(calls=Count("pk"))
        .values("calls")
    )
    calls = Coalesce(Subquery(counted, output_field=IntegerField()), 0)
    busy = _unmailed(at=at).annotate(calls=calls).filter(calls__gte=min(MIN_CALLS, MIN_FILES))
    return busy.select_related("user").order_by("pk")


def _unusual(
    connection: Connection, *, at: datetime
) -> Iterator[tuple[Business, Reading, Reading]]:
    """Yield each business that a connection read unusually much of in the last day.

    Shape: the business, the reading of the last day, and the usual reading of a day.
    """
    entries = AccessLogEntry.objects.filter(
        connection=connection, outcome=ANSWERED, business__isnull=False
    )
    today = _readings(entries.filter(at__gt=at - DAY, at__lte=at))
    before = entries.filter(at__gt=at - DAY * (USUAL_DAYS + 1), at__lte=at - DAY)
    days = dict(
        before.values_list("business")
        .annotate(days=Count(TruncDate("at", tzinfo=UTC), distinct=True))
        .order_by()
    )
    earlier = _readings(before)
    for business in Business.objects.filter(pk__in=today).order_by("pk"):
        total, used = earlier.get(business.pk, Reading(0, 0)), days.get(business.pk, 1)
        usual = Reading(round(total.calls / used), round(total.files / used))
        if today[business.pk].is_unusual(usual):
            yield business, today[business.pk], usual


def _readings(entries: QuerySet[AccessLogEntry]) -> dict[int, Reading]:
    """Return the readings by the key of the business."""
    downloads = [tool.name for tool in TOOLS.values() if tool.is_download]
    takes_file = Q(tool__in=downloads) | Q(tool__startswith=OPENED_LINK)
    rows = (
        entries.values_list("business")
        .annotate(calls=Count("pk"), files=Count("pk", filter=takes_file))
        .order_by()
    )
    return {business: Reading(calls, files) for business, calls, files in rows}


def _mail_unusual(
    connection: Connection, business: Business, reading: Reading, usual: Reading, *, at: datetime
) -> None:
    """Mail the user of the connection and the owners who may see the activity of the business."""
    owners = BusinessOwner.objects.filter(business=business, user__isnull=False)
    readers: dict[int, User] = {connection.user_id: connection.user}
    readers |= {
        owner.user.pk: owner.user
        for owner in owners.select_related("user")
        if owner.user and owner.has_full_access and owner.user.is_active
    }
    for reader in readers.values():
        is_own = reader.pk == connection.user_id
        context = {
            "host": connection.client_host,
            "business": business.legal_name,
            "person": "" if is_own else connection.user.get_full_name(),
            "is_accountant": connection.user.user_type == UserType.ACCOUNTANT,
            "reading": reading,
            "usual": usual,
        }
        mails.queue("unusual_reading", to=reader.email, context=context, at=at)
