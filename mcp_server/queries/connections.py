"""Connections of assistants, with their usage."""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.conf import settings
from django.db.models import Count, F, OuterRef, Q, Subquery, TextChoices, TextField
from django.db.models.functions import Cast, Concat, TruncDate
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import AccessToken

from banking.days import DAY
from banking.models import User
from banking.reach import Reach
from mcp_server.limits import OF_DATA, Limit, limits_of, reach_of
from mcp_server.models import PAGES_CLIENT_ID, AccessLogEntry, Connection
from mcp_server.oauth import clients
from mcp_server.scopes import Scope

CHART_DAYS = 30


class State(TextChoices):
    """The state of a connection."""

    LIVE = "LIVE", _("Connected")
    PAUSED = "PAUSED", _("Paused")
    EXPIRED = "EXPIRED", _("Expired: connect it again")
    ENDED = "ENDED", _("Access removed")


@dataclass(frozen=True)
class CallsOfDay:
    """The number of an assistant's calls on a day in UTC."""

    day: date
    calls: int


@dataclass(frozen=True)
class ConnectedAssistant:
    """A connected assistant with its scopes and its usage.

    `scopes` are those of the tokens that can still be used or renewed; `calls_per_day` has
    CHART_DAYS days, today last.
    """

    connection: Connection
    client_name: str
    host: str
    state: State
    scopes: list[Scope]
    first_used_at: datetime | None
    last_used_at: datetime | None
    calls_per_day: list[CallsOfDay]
    limits: list[Limit]

    @property
    def calls(self) -> int:
        """Return the number of the connection's calls on all the days shown."""
        return sum(day.calls for day in self.calls_per_day)


def get_connection(user: User, pk: int) -> Connection:
    """Return one of a user's own connections. Raises: Connection.DoesNotExist."""
    return Connection.objects.get(pk=pk, user=user)


def holds_scope(connection: Connection, scope: Scope, *, at: datetime) -> bool:
    """Return whether a connection has a token with a scope that can be used or renewed."""
    scopes = _live_scopes(connection.user, at=at)
    return scope.value in scopes.get(connection.application_id, ())


def list_limits(connection: Connection, *, at: datetime) -> list[Limit]:
    """Return the limits that a connection has on the day of `at`.

    Account numbers are masked if none of its live tokens has the scope for them.
    """
    scopes = _live_scopes(connection.user, at=at).get(connection.application_id, ())
    return limits_of(_reach(connection, scopes), on=at.date())


def list_assistants(user: User, *, at: datetime) -> list[ConnectedAssistant]:
    """Return a user's assistants: live and paused ones, then others, the newest of each first.

    It takes three statements, however many assistants there are.
    """
    entries = AccessLogEntry.objects.filter(connection=OuterRef("pk")).values("at")
    connections = list(
        Connection.objects.filter(user=user)
        .exclude(application__client_id=PAGES_CLIENT_ID)
        .exclude(
            ended_at=F("created_at")
        )  # allowed by the user, but the client never fetched its tokens
        .select_related("application")
        .annotate(
            first_used_at=Subquery(entries.order_by("at", "id")[:1]),
            last_used_at=Subquery(entries.order_by("-at", "-id")[:1]),
        )
        .order_by("-created_at", "-pk")
    )
    scopes, calls = _live_scopes(user, at=at), _calls_per_day(user, at=at)
    assistants = [
        ConnectedAssistant(
            connection=connection,
            client_name=clients.clean_name(connection.client_name),
            host=connection.client_host,
            state=_state(connection, held=connection.application_id in scopes, at=at),
            scopes=[s for s in Scope if s.value in scopes.get(connection.application_id, ())],
            first_used_at=connection.first_used_at,
            last_used_at=connection.last_used_at,
            limits=_limits(connection, scopes.get(connection.application_id, ()), at=at),
            calls_per_day=[CallsOfDay(day, calls[connection.pk, day]) for day in _days(at)],
        )
        for connection in connections
    ]
    return sorted(assistants, key=lambda one: one.state not in {State.LIVE, State.PAUSED})


def _state(connection: Connection, *, held: bool, at: datetime) -> State:
    if connection.is_over(on=at.astimezone(UTC).date()) or connection.application_id is None:
        return State.ENDED
    if not held:
        return State.EXPIRED
    return State.PAUSED if connection.paused_at else State.LIVE


def _limits(connection: Connection, scopes: Collection[str], *, at: datetime) -> list[Limit]:
    """Return the limits of a connection; a last day in the future is a limit, too."""
    reach = _reach(connection, scopes)
    return limits_of(reach, on=max(at.date(), reach.last + DAY) if reach.last else at.date())


def _reach(connection: Connection, scopes: Collection[str]) -> Reach:
    columns = [getattr(connection, name) for name in OF_DATA]
    return reach_of(*columns, scopes=scopes)


def _live_scopes(user: User, *, at: datetime) -> dict[int | None, set[str]]:
    """Return the scopes of a user's tokens that can be used or renewed, by the client's key."""
    renewable = timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])
    usable = Q(expires__gt=at) | Q(
        refresh_token__isnull=False, refresh_token__revoked=None, expires__gt=at - renewable
    )
    scopes: defaultdict[int | None, set[str]] = defaultdict(set)
    tokens = AccessToken.objects.filter(usable, user=user)
    for application_id, scope in tokens.values_list("application", "scope"):
        scopes[application_id].update(scope.split())
    return scopes


def _calls_per_day(user: User, *, at: datetime) -> Counter[tuple[int, date]]:
    """Return the number of calls of each connection on each day shown.

    The rows of one call, which concerns several businesses, have timestamp and tool in common.
    """
    call = Concat(Cast("at", TextField()), "tool")
    first = datetime.combine(_days(at)[0], datetime.min.time(), UTC)
    counted = (
        AccessLogEntry.objects.filter(connection__user=user, at__gte=first, at__lte=at)
        .values_list("connection", TruncDate("at", tzinfo=UTC))
        .annotate(calls=Count(call, distinct=True))
        .order_by()
    )
    return Counter({(pk, day): calls for pk, day, calls in counted})


def _days(at: datetime) -> list[date]:
    today = at.astimezone(UTC).date()
    return [today - timedelta(days=ago) for ago in reversed(range(CHART_DAYS))]
