"""Sandbox operations: simulate activities of a lead, and advance the clock."""

import time
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.api import examples, schema
from onboarding.api.error_representations import WarningSerializer
from onboarding.api.meta import NowhereView
from onboarding.api.partner_view import PartnerView
from onboarding.api.request_serializers import RequestSerializer
from onboarding.api.schema import operation
from onboarding.api.serialization import Representation
from onboarding.api.views import OneLeadView, warnings
from onboarding.api.writes import Sent, write
from onboarding.choices import ApplicationStatus, ClockMoveStatus, Permission
from onboarding.errors import ErrorCode, Fault, Invalid, InvalidValue
from onboarding.event_types import published_choices
from onboarding.models import ClockMove
from onboarding.queries.clock_moves import ENDED_LISTED, get_clock_move, get_progress
from onboarding.services.documents.file_store import FileStore
from onboarding.services.sandbox import sandbox_clock, simulations
from onboarding.services.sandbox.simulations import Activity

TAG: Final = "sandbox"
SIMULATE: Final = Permission.SANDBOX_SIMULATE
LONGEST_ADVANCE: Final = timedelta(days=400)
RETRY_SECONDS: Final = 2
WHOLE_NUMBER: Final = {"en": "a whole number", "es": "un número entero"}
ACTIVITY: Final = OpenApiParameter(
    "activity",
    str,
    OpenApiParameter.PATH,
    enum=Activity.values,
    description="\n".join(
        ["What happens:", "", *(f"- `{one.value}`: {one.label}." for one in Activity)]
    ),
)

MOVE_ID = OpenApiParameter(
    "move_id", UUID, OpenApiParameter.PATH, description="The `moveId` of the answer that began it."
)
BEGUN = [HTTPStatus.ACCEPTED.value]
BEGUN_HEADERS = [
    schema.header("Location", "Where the progress of the move is.", only=BEGUN, required=True),
    schema.retry_header(BEGUN),
    schema.replay_header(BEGUN),
]


class Seconds(serializers.IntegerField):
    """A whole number of seconds from 1 to `most`."""

    def __init__(self, *, most: timedelta, **options: Any) -> None:
        self.most = int(most.total_seconds())
        super().__init__(min_value=1, max_value=self.most, **options)

    def clean(self, sent: Any) -> int:
        if isinstance(sent, bool) or not isinstance(sent, int):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=WHOLE_NUMBER)
        if not 1 <= sent <= self.most:
            limits = {"en": f"from 1 to {self.most}", "es": f"de 1 a {self.most}"}
            raise InvalidValue(ErrorCode.VALUE_OUT_OF_RANGE, range=limits)
        return sent


class AdvanceSerializer(RequestSerializer):
    """How much time is to pass for all leads of the partner."""

    advance_seconds = Seconds(most=LONGEST_ADVANCE, help_text="From one second to 400 days.")


class PlayedEventSerializer(Representation):
    """An event that is published to you."""

    type = serializers.ChoiceField(published_choices())
    sequence = serializers.IntegerField(help_text="Counts the events of a lead.")


class PlayedSerializer(Representation):
    """The result of a simulated activity, and the activities that are allowed next."""

    customer_id = serializers.UUIDField(source="application.lead.external_id")
    application_id = serializers.UUIDField(source="application.external_id")
    activity = serializers.ChoiceField(Activity.choices)
    status = serializers.ChoiceField(ApplicationStatus.choices, source="application.status")
    previous_status = serializers.ChoiceField(ApplicationStatus.choices)
    events = PlayedEventSerializer(many=True)
    allowed_activities = serializers.ListField(child=serializers.ChoiceField(Activity.choices))


class EndedSerializer(Representation):
    """An application that expired or was denied because the time had passed."""

    customer_id = serializers.UUIDField(source="lead.external_id")
    application_id = serializers.UUIDField(source="application.external_id")
    status = serializers.ChoiceField(ApplicationStatus.choices)


class ClockMoveSerializer(Representation):
    """Progress and results of a move of the clock."""

    move_id = serializers.UUIDField(source="move.external_id")
    status = serializers.ChoiceField(ClockMoveStatus.choices, source="move.status")
    leads_done = serializers.IntegerField(
        source="move.leads_done", help_text="Leads for which the time has passed."
    )
    leads_total = serializers.IntegerField(source="move.leads_total")
    advanced_seconds = serializers.IntegerField(source="move.seconds")
    ended = serializers.ListField(
        child=EndedSerializer(),
        max_length=ENDED_LISTED,
        help_text=f"The first {ENDED_LISTED} applications that ended.",
    )
    ended_total = serializers.IntegerField(help_text="Applications that ended.")
    reminded = serializers.IntegerField(help_text="Applicants who are sent a reminder.")
    deliveries_due = serializers.IntegerField(
        source="move.deliveries_due", help_text="Events that are sent sooner than else."
    )
    mails_due = serializers.IntegerField(
        source="move.mails_due", help_text="Mails that are sent sooner than else."
    )
    documents_due = serializers.IntegerField(
        source="move.documents_due", help_text="Documents that are fetched sooner."
    )


class AdvancedSerializer(ClockMoveSerializer):
    """Progress and results of a move of the clock, and warnings about unknown fields."""

    warnings = WarningSerializer(many=True)


ADVANCE = AdvanceSerializer()
PLAYED = PlayedSerializer()
MOVE = ClockMoveSerializer()


class ActivityView(OneLeadView):
    """Operation that simulates an activity of an applicant, a check, a provider or the staff."""

    permissions = {"POST": SIMULATE}

    @operation(
        "simulate",
        responses={200: PlayedSerializer},
        errors=[
            ErrorCode.RESOURCE_NOT_FOUND,
            ErrorCode.LEAD_NOT_FOUND,
            ErrorCode.VALUE_NOT_ALLOWED,
            ErrorCode.ACTIVITY_NOT_ALLOWED,
            ErrorCode.TOO_MANY_DOCUMENTS,
        ],
        parameters=[schema.CUSTOMER_ID, ACTIVITY],
        tag=TAG,
    )
    def post(self, request: Request, customer_id: str, activity: str) -> Response:
        """Play what applicant, checks, provider or staff do, by the rules that hold for them.

        `docv_upload`, `llc_doc_upload`, `kyb_provider_upload` and `compliance_approve`, in this
        order, take a new lead to its account. There is no such path in production.
        """
        played = simulations.play(
            partner=request.user,
            customer_id=customer_id,
            activity=read_activity(activity),
            at=timezone.now(),
        )
        return Response(PLAYED.to_representation(played))


class ClockView(PartnerView):
    """Operation that advances the partner's clock."""

    permissions = {"POST": SIMULATE}

    @operation(
        "advanceClock",
        request=AdvanceSerializer,
        responses={200: AdvancedSerializer, 202: AdvancedSerializer},
        errors=[
            ErrorCode.RESOURCE_NOT_FOUND,
            ErrorCode.VALUE_OUT_OF_RANGE,
            ErrorCode.CLOCK_MOVING,
        ],
        parameters=BEGUN_HEADERS,
        is_idempotent=True,
        tag=TAG,
        examples=[examples.A_DAY],
    )
    def post(self, request: Request) -> Response:
        """Let time pass for all that you have: deadlines, reminders, links, retries.

        Events stay as they are, and access keys live as long as before. A move that takes longer
        than a few seconds is answered with a 202 and goes on; ask for it where `Location` says.
        A retry with the same `Idempotency-Key` tells how far the move has come. There is no such
        path in production.
        """
        try:
            answer = self.begin(request)
        except sandbox_clock.ClockMoving:
            sandbox_clock.request_rest(partner=request.user, at=timezone.now())
            raise
        move = get_clock_move(partner=request.user, move_id=answer.data["moveId"])
        work_on(move)
        return complete(answer, move)

    @write(ADVANCE)
    def begin(self, request: Request, sent: Sent, _store: FileStore) -> Response:
        """Begin a move of the partner's clock; respond with 202 and the id of the move."""
        by = timedelta(seconds=sent.values["advance_seconds"])
        move = sandbox_clock.begin(partner=request.user, by=by, at=timezone.now())
        answer = {"moveId": str(move.external_id), "warnings": warnings(sent.unknown)}
        return Response(answer, status=HTTPStatus.ACCEPTED)


class ClockMoveView(PartnerView):
    """Operation that returns the progress of a move of the partner's clock."""

    permissions = {"GET": SIMULATE}

    @operation(
        "getClockMove",
        responses={200: ClockMoveSerializer},
        errors=[ErrorCode.RESOURCE_NOT_FOUND],
        parameters=[MOVE_ID],
        tag=TAG,
    )
    def get(self, request: Request, move_id: str) -> Response:
        """Get progress and results of a move of the clock.

        There is no such path in production.
        """
        move = get_clock_move(partner=request.user, move_id=move_id)
        return Response(MOVE.to_representation(get_progress(move)))


def work_on(move: ClockMove) -> None:
    """Go on with a move of the clock until it is finished, or until BUDGET has passed."""
    ends_at = time.monotonic() + sandbox_clock.BUDGET.total_seconds()
    for _ in sandbox_clock.go_on(move, now=timezone.now):
        if time.monotonic() >= ends_at:
            break


def complete(answer: Response, move: ClockMove) -> Response:
    """Replace the body of a response with the progress of a move, and return the response.

    A finished move sets the status to 200; an unfinished move adds Location and Retry-After.
    """
    move.refresh_from_db()
    progress = MOVE.to_representation(get_progress(move))
    answer.data = {**progress, "warnings": answer.data.get("warnings", [])}
    if move.finished_at:
        answer.status_code = HTTPStatus.OK
    else:
        answer["Location"] = reverse("lead_api:clock_move", args=[move.external_id])
        answer["Retry-After"] = str(RETRY_SECONDS)
    return answer


def read_activity(text: str) -> Activity:
    """Parse the activity in a path. Raises: Invalid."""
    try:
        return Activity(text)
    except ValueError:
        allowed = {"allowed": ", ".join(Activity)}
        raise Invalid([Fault(ErrorCode.VALUE_NOT_ALLOWED, ("activity",), allowed)]) from None


def in_sandbox(view: type[PartnerView]) -> Callable[..., HttpResponseBase]:
    """Return the view as a function that responds with 404 in production."""
    served, nowhere = view.as_view(), NowhereView.as_view()

    @wraps(served)
    def answer(request: HttpRequest, **named: str) -> HttpResponseBase:
        return served(request, **named) if settings.IS_SANDBOX else nowhere(request)

    return answer
