"""Request bodies about webhooks."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.conf import settings

from onboarding.api.request_serializers import (
    CharField,
    ChoiceField,
    DateTimeField,
    ListField,
    NumberField,
    Path,
    RequestSerializer,
)
from onboarding.choices import WebhookStatus, WebhookType, WebhookVersion
from onboarding.errors import ErrorCode, Fault
from onboarding.event_types import published_choices
from onboarding.services.webhooks import endpoints

EVENT_TYPES_MAX: Final = 50
LONGEST_DELAY: Final = 3600


class ChaosSerializer(RequestSerializer):
    """Faults of deliveries that the sandbox simulates; absent values are 0."""

    duplicate = NumberField(most=1, help_text="The share of events that are sent twice.")
    reorder = NumberField(
        most=1, help_text="The share of events that are sent after their followers."
    )
    drop = NumberField(most=1, help_text="The share of events that are not sent.")
    delay_seconds = NumberField(most=LONGEST_DELAY, help_text="How long each event is kept back.")

    def clean(self, data: Any) -> dict[str, Any]:
        return {name: value for name, value in super().clean(data).items() if value}


class WebhookSerializer(RequestSerializer):
    """A webhook to register: the URL to which events are sent, and the types of events."""

    server_url = CharField(
        check=endpoints.check_server_url, limit=2048, required=True, allow_null=False,
        help_text="https, of a public host; on a machine of your own also http to loopback.",
    )  # fmt: skip
    status = ChoiceField(WebhookStatus.choices, help_text="`ACTIVE` unless you say otherwise.")
    type = ChoiceField(
        WebhookType.choices,
        help_text=(
            "`ALL` unless you say otherwise. `ONBOARDING` are events of applications, `PAYMENT` "
            "events of payments, cards and accounts after the opening."
        ),
    )
    version = ChoiceField(WebhookVersion.choices, help_text="The shape of what is sent.")
    event_types = ListField(
        ChoiceField(published_choices(), allow_null=False),
        limit=EVENT_TYPES_MAX,
        help_text="The types to send; empty or absent means all of them, later ones included.",
    )
    description = CharField(help_text="For yourself.")
    chaos = ChaosSerializer(
        required=False, allow_null=True, help_text="Sandbox only; ignored in production."
    )

    def clean(self, data: Any) -> dict[str, Any]:
        is_object = isinstance(data, Mapping)
        values = super().clean(self._heeded(data) if is_object else data)
        if values.get("event_types"):
            values["event_types"] = list(dict.fromkeys(values["event_types"]))
        return values

    def unknown(self, data: Any) -> Iterator[Path]:
        yield from super().unknown(self._heeded(data))
        yield from ((name,) for name in data.keys() - self._heeded(data).keys())

    def _heeded(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the sent fields, in production without `chaos`."""
        ignored = () if settings.IS_SANDBOX else ("chaos",)
        return {name: value for name, value in data.items() if name not in ignored}


class WebhookUpdateSerializer(WebhookSerializer):
    """Values of a webhook to change: absent is kept, null restores the default.

    `serverUrl` and `status` cannot be null.
    """

    server_url = CharField(
        check=endpoints.check_server_url, limit=2048, allow_null=False,
        help_text="https, of a public host; on a machine of your own also http to loopback.",
    )  # fmt: skip
    status = ChoiceField(
        WebhookStatus.choices,
        allow_null=False,
        help_text="`ACTIVE` enables it again and forgets why it was disabled.",
    )

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        kept = {"server_url": "serverUrl", "status": "status"}
        return [
            Fault(ErrorCode.REQUIRED_FIELD_MISSING, (wire,))
            for name, wire in kept.items()
            if name in values and values[name] is None
        ]


class RecoverySerializer(RequestSerializer):
    """The period of which missed events are sent again."""

    since = DateTimeField(
        required=True,
        allow_null=False,
        help_text="The beginning of the period. What is earlier than "
        f"{settings.EVENTS_SHOWN_FOR.days} days ago is raised to that moment.",
    )
    until = DateTimeField(help_text="Its end, which is not part of it; now if absent.")

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        since, until = values.get("since"), values.get("until")
        if since and until and until <= since:
            later = {"en": "later than since", "es": "posterior a since"}
            return [Fault(ErrorCode.VALUE_OUT_OF_RANGE, ("until",), {"range": later})]
        return []
