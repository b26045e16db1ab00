"""The sandbox's operations: play what happens to a lead, and let time pass."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.api import examples, schema
from onboarding.api.meta import NowhereView
from onboarding.api.partner_view import PartnerView
from onboarding.api.representations import WarningSerializer
from onboarding.api.schema import operation
from onboarding.api.shapes import Shape
from onboarding.api.telling import Representation
from onboarding.api.views import OneLeadView, opened, warnings
from onboarding.choices import ApplicationStatus, Permission, published_choices
from onboarding.errors import ErrorCode, Fault, Invalid, InvalidValue
from onboarding.services import sandbox, sandbox_clock
from onboarding.services.sandbox import Activity

TAG: Final = "sandbox"
SIMULATE: Final = Permission.SANDBOX_SIMULATE
LONGEST_ADVANCE: Final = timedelta(days=400)
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


class Seconds(serializers.IntegerField):
    """A number of whole seconds, one at least."""

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


class AdvanceSerializer(Shape):
    """How much time is to pass."""

    advance_seconds = Seconds(most=LONGEST_ADVANCE, help_text="From one second to 400 days.")


class PlayedEventSerializer(Representation):
    """An event that you are told of."""

    type = serializers.ChoiceField(published_choices())
    sequence = serializers.IntegerField(help_text="Counts the events of a lead.")


class PlayedSerializer(Representation):
    """What the activity did, and what can happen next."""

    customer_id = serializers.UUIDField(source="application.lead.external_id")
    application_id = serializers.UUIDField(source="application.external_id")
    activity = serializers.ChoiceField(Activity.choices)
    status = serializers.ChoiceField(ApplicationStatus.choices, source="application.status")
    previous_status = serializers.ChoiceField(ApplicationStatus.choices)
    events = PlayedEventSerializer(many=True)
    allowed_activities = serializers.ListField(child=serializers.ChoiceField(Activity.choices))


class EndedSerializer(Representation):
    """An application that time ended."""

    customer_id = serializers.UUIDField(source="lead.external_id")
    application_id = serializers.UUIDField(source="external_id")
    status = serializers.ChoiceField(ApplicationStatus.choices)


class PassedSerializer(Representation):
    """What the time that passed brought about."""

    advanced_seconds = serializers.IntegerField()
    ended = EndedSerializer(many=True)
    reminded = serializers.IntegerField(help_text="Applicants who are sent a reminder.")
    deliveries_due = serializers.IntegerField(help_text="Events that are sent sooner than else.")
    mails_due = serializers.IntegerField(help_text="Mails that are sent sooner than else.")
    documents_due = serializers.IntegerField(help_text="Documents that are fetched sooner.")


class AdvancedSerializer(PassedSerializer):
    """What the time that passed brought about."""

    warnings = WarningSerializer(many=True)


ADVANCE = AdvanceSerializer()
PLAYED = PlayedSerializer()
PASSED = PassedSerializer()


class ActivityView(OneLeadView):
    """What happens to a lead."""

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
        played = sandbox.play(
            partner=request.user,
            customer_id=customer_id,
            activity=read_activity(activity),
            at=timezone.now(),
        )
        return Response(PLAYED.to_representation(played))


class ClockView(PartnerView):
    """The time of a partner."""

    permissions = {"POST": SIMULATE}

    @operation(
        "advanceClock",
        request=AdvanceSerializer,
        responses={200: AdvancedSerializer},
        errors=[ErrorCode.RESOURCE_NOT_FOUND, ErrorCode.VALUE_OUT_OF_RANGE],
        tag=TAG,
        examples=[examples.A_DAY],
    )
    def post(self, request: Request) -> Response:
        """Let time pass for all that you have: deadlines, reminders, links, retries.

        Events stay as they are, and access keys live as long as before. There is no such path in
        production.
        """
        with opened(request) as body:
            seconds = ADVANCE.clean(body.data)["advance_seconds"]
            ignored = warnings(ADVANCE, body)
        passed = sandbox_clock.advance(
            partner=request.user, by=timedelta(seconds=seconds), at=timezone.now()
        )
        return Response({**PASSED.to_representation(passed), "warnings": ignored})


def read_activity(text: str) -> Activity:
    """Return the activity that a path names. Raises: Invalid."""
    try:
        return Activity(text)
    except ValueError:
        allowed = {"allowed": ", ".join(Activity)}
        raise Invalid([Fault(ErrorCode.VALUE_NOT_ALLOWED, ("activity",), allowed)]) from None


def in_sandbox(view: type[PartnerView]) -> Callable[..., HttpResponseBase]:
    """Return the view as a function; in production there is nothing at its path."""
    served, nowhere = view.as_view(), NowhereView.as_view()

    @wraps(served)
    def answer(request: HttpRequest, **named: str) -> HttpResponseBase:
        return served(request, **named) if settings.IS_SANDBOX else nowhere(request)

    return answer
