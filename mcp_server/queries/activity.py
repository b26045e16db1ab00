"""Activity: calls of assistants and opened pages that concern a user, from the access log."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime

from django.db.models import Q, QuerySet

from banking.days import DAY
from banking.models import Business, BusinessOwner, User
from banking.paging import Page, take_page
from mcp_server.limits import Limit
from mcp_server.models import OPENED_LINK, AccessLogEntry, Connection
from mcp_server.oauth import clients

BATCH_SIZE = 1_000  # rows in memory


@dataclass(frozen=True)
class CallFilter:
    """The conditions that a call must meet. None and the empty text are no condition.

    `first` and `last` are days in UTC, both of them included.
    """

    connection: Connection | None = None
    person: int | None = None  # the key of the user of the assistant
    tool: str = ""
    business: int | None = None  # its key
    first: date | None = None  # in UTC
    last: date | None = None

    def condition(self) -> Q:
        """Return the condition on rows of the access log."""
        wanted = Q()
        if self.connection:
            wanted &= Q(connection=self.connection)
        if self.person:
            wanted &= Q(connection__user=self.person)
        if self.tool:
            wanted &= Q(tool__in=[self.tool, f"{OPENED_LINK}{self.tool}"])
        if self.business:
            wanted &= Q(business=self.business)
        if self.first:
            wanted &= Q(at__gte=datetime.combine(self.first, datetime.min.time(), UTC))
        if self.last:
            wanted &= Q(at__lt=datetime.combine(self.last, datetime.min.time(), UTC) + DAY)
        return wanted


ALL_CALLS = CallFilter()


@dataclass(frozen=True)
class LoggedCall:
    """A call as its log shows it; `user_name` is set for somebody else's assistant."""

    at: datetime
    client_name: str
    user_name: str
    tool: str
    business_name: str
    outcome: str
    duration_ms: int
    request_id: str
    limits: list[Limit]


def list_calls(
    user: User, wanted: CallFilter = ALL_CALLS, *, page: int = 0, page_size: int = 50
) -> Page[LoggedCall]:
    """Return the wanted calls, newest first, in four statements.

    These are the calls of a user's own assistants and the pages that the user opened and, for
    owners with full access, those of other people, such as accountants, about the business. A call
    about several businesses is there once for each. `page` counts from 0.
    """
    entries = _calls_shown_to(user).filter(wanted.condition())
    rows = take_page(entries, page=page, page_size=page_size)
    return rows.of([_logged_call(entry, user) for entry in rows.items])


def stream_calls(user: User, wanted: CallFilter, *, most: int) -> Iterator[LoggedCall]:
    """Yield the wanted calls, newest first and `most` at most, few in memory at a time."""
    entries = _calls_shown_to(user).filter(wanted.condition())[:most]
    for entry in entries.iterator(BATCH_SIZE):
        yield _logged_call(entry, user)


def list_people(user: User) -> list[User]:
    """Return the users whose assistants may have read a user's business, the user first.

    These are owners and accountants with an access of any status; the log itself may be long.
    """
    businesses = _businesses_of(user)
    owners = Q(business_owner__business__in=businesses)
    accountants = Q(accountant__firm__accesses__business__in=businesses)
    found = User.objects.filter(Q(pk=user.pk) | owners | accountants).distinct()
    return sorted(found, key=lambda one: (one != user, one.get_full_name(), one.pk))


def list_businesses(user: User) -> list[Business]:
    """Return a user's own businesses and, of an accountant, those of accesses of any status."""
    own, clients = Q(pk__in=_businesses_of(user)), Q(accesses__firm__people__user=user)
    return list(Business.objects.filter(own | clients).distinct().order_by("legal_name", "pk"))


def _businesses_of(user: User) -> list[int]:
    """Return the keys of the businesses whose whole activity a user may see."""
    owned = BusinessOwner.objects.filter(user=user)
    return [owner.business_id for owner in owned if owner.has_full_access]


def _calls_shown_to(user: User) -> QuerySet[AccessLogEntry]:
    # the ids themselves: with subqueries PostgreSQL would read the log of everybody
    own = list(Connection.objects.filter(user=user).values_list("pk", flat=True))
    return (
        AccessLogEntry.objects.filter(Q(connection__in=own) | Q(business__in=_businesses_of(user)))
        .select_related("connection__user", "business")
        .order_by("-at", "-id")
    )


def _logged_call(entry: AccessLogEntry, user: User) -> LoggedCall:
    connection = entry.connection
    return LoggedCall(
        at=entry.at,
        client_name=clients.clean_name(connection.client_name),
        user_name="" if connection.user_id == user.pk else connection.user.get_full_name(),
        tool=entry.tool,
        business_name=entry.business.legal_name if entry.business else "",
        outcome=entry.outcome,
        duration_ms=entry.duration_ms,
        request_id=entry.request_id,
        limits=[limit for limit in Limit if limit in (entry.limits or "").split()],
    )
