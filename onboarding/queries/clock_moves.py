"""Reads of the progress and results of moves of the sandbox's clock."""

from dataclasses import dataclass

from foundation import external_ids
from onboarding.choices import Role
from onboarding.errors import ErrorCode, Refused
from onboarding.event_types import EventType
from onboarding.models import ClockMove, Event, Partner

ENDED_LISTED = 100
ENDINGS = [EventType.EXPIRED, EventType.DENIED]
COLUMNS = ["status", "lead__external_id", "application__external_id"]  # of an ending


class ClockMoveNotFound(Refused):
    """No move of this partner has the id; other partners' moves count as not found."""

    code = ErrorCode.RESOURCE_NOT_FOUND


@dataclass(frozen=True)
class Progress:
    """Progress of a move, and the clock's effects on the partner's leads during it.

    `ended` holds the first ENDED_LISTED of the events that ended applications.
    """

    move: ClockMove
    ended: list[Event]
    ended_total: int
    reminded: int


def get_clock_move(*, partner: Partner, move_id: str) -> ClockMove:
    """Return a move of the partner. Raises: ClockMoveNotFound, also for an id that is no UUID."""
    known = ClockMove.objects.filter(partner=partner, external_id=external_ids.parse(move_id))
    move = known.first()
    if move is None:
        raise ClockMoveNotFound
    return move


def get_progress(move: ClockMove) -> Progress:
    """Return the progress of a move."""
    events = Event.objects.filter(
        lead__partner=move.partner_id, role=Role.CLOCK, occurred_at__gte=move.created_at
    )
    if move.finished_at:
        events = events.filter(occurred_at__lte=move.finished_at)
    ended = events.filter(type__in=ENDINGS)
    listed = ended.select_related("lead", "application").only(*COLUMNS).order_by("pk")
    return Progress(
        move=move,
        ended=list(listed[:ENDED_LISTED]),
        ended_total=ended.count(),
        reminded=events.filter(type=EventType.REMINDED).count(),
    )
