"""Responses about webhooks, deliveries and events. Secrets are shown only when created."""

from typing import Any

from django.conf import settings
from rest_framework import serializers

from banking.choices import PaymentMethod
from onboarding.api.error_representations import WarningSerializer
from onboarding.api.serialization import Representation, Timestamp
from onboarding.choices import (
    ApplicationStatus,
    ChangeDenialReason,
    DenialReason,
    ShownDeliveryStatus,
    StatusGroup,
    WebhookStatus,
    WebhookType,
    WebhookVersion,
)
from onboarding.event_types import published_choices, sent_choices


class ChaosRepresentation(Representation):
    """What the sandbox does to deliveries on purpose."""

    duplicate = serializers.FloatField()
    reorder = serializers.FloatField()
    drop = serializers.FloatField()
    delay_seconds = serializers.FloatField()

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any] | None:
        if not instance:
            return None
        return {name: instance.get(of.source, 0) for name, of in self.fields.items()}


class WebhookRepresentation(Representation):
    """A webhook as it is stored."""

    external_id = serializers.UUIDField()
    server_url = serializers.CharField()
    status = serializers.ChoiceField(WebhookStatus.choices)
    version = serializers.ChoiceField(WebhookVersion.choices)
    type = serializers.ChoiceField(WebhookType.choices)
    event_types = serializers.ListField(
        child=serializers.ChoiceField(published_choices()), help_text="Empty means all."
    )
    description = serializers.CharField()
    failing_since = Timestamp(
        allow_null=True, help_text="When the failures began that no success came after."
    )
    disabled_reason = serializers.CharField(help_text="Why it is disabled; empty if it is not.")
    created_at = Timestamp()
    chaos = ChaosRepresentation(allow_null=True, required=False, help_text="Sandbox only.")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        if not settings.IS_SANDBOX:
            shown.pop("chaos")
        return shown


class WebhookListSerializer(Representation):
    """Every webhook of the partner, the oldest first."""

    webhook_list = WebhookRepresentation(many=True)


class SecretsRepresentation(Representation):
    """What deliveries are proved with."""

    token = serializers.CharField(help_text="Comes as `Authorization: Bearer <token>`.")
    signing_secret = serializers.CharField(help_text="Verifies `webhook-signature`.")


class WebhookCreatedSerializer(SecretsRepresentation, WebhookRepresentation):
    """The webhook, with token and secret, which only this answer and a retry of it show."""

    warnings = WarningSerializer(many=True)


class WebhookUpdatedSerializer(WebhookRepresentation):
    """The webhook after an update, and warnings about unknown fields."""

    warnings = WarningSerializer(many=True)


class SecretRotatedSerializer(Representation):
    """The new secret, which is shown here only, and to a retry with the same `Idempotency-Key`."""

    external_id = serializers.UUIDField()
    signing_secret = serializers.CharField()
    previous_secret_expires_at = Timestamp(
        source="previous_expires_at", help_text="Until then, deliveries carry two signatures."
    )


class AttemptSerializer(Representation):
    """One attempt to deliver an event: a POST, and its response or fault."""

    number = serializers.IntegerField()
    at = Timestamp()
    duration_ms = serializers.IntegerField()
    status_code = serializers.IntegerField(allow_null=True)
    answer = serializers.CharField(help_text="The first 2 KB of the body.")
    fault = serializers.CharField(
        help_text="Why no answer came, or that a redirect was not followed; else empty."
    )


class DeliverySerializer(Representation):
    """The delivery of an event to a webhook, with its attempts."""

    delivery_id = serializers.UUIDField(source="external_id")
    event_id = serializers.CharField(
        source="publication.message_id", help_text="The `webhook-id`, and the `id` of the body."
    )
    type = serializers.ChoiceField(sent_choices(), source="publication.type")
    customer_id = serializers.UUIDField(
        source="publication.lead.external_id",
        allow_null=True,
        help_text="The lead; null for a test.",
    )
    status = serializers.ChoiceField(ShownDeliveryStatus.choices, source="shown_status")
    attempt_count = serializers.IntegerField(source="attempts")
    status_code = serializers.IntegerField(
        allow_null=True, help_text="Of the last answer; null where there was none."
    )
    fault = serializers.CharField(
        help_text="Why no answer came at last, or that a redirect was not followed; else empty."
    )
    next_attempt_at = Timestamp(
        source="shown_next_attempt_at",
        allow_null=True,
        help_text="Null if none is planned: it is delivered, given up, dropped or held.",
    )
    created_at = Timestamp()
    finished_at = Timestamp(allow_null=True)
    attempts = AttemptSerializer(source="made", many=True)


class DeliveryListSerializer(Representation):
    """A page of deliveries, the newest first."""

    deliveries = DeliverySerializer(source="items", many=True)
    next_cursor = serializers.CharField(
        allow_null=True, help_text="Send it as `cursor` for the next page; null on the last one."
    )


class RecoveredSerializer(Representation):
    """The number of missed events that are sent again, the period, and warnings."""

    recovered = serializers.IntegerField(help_text="Events that were missed.")
    since = Timestamp(help_text="The beginning that was taken.")
    until = Timestamp()
    warnings = WarningSerializer(many=True)


class EventDataSerializer(Representation):
    """The lead that an event is about, and the status after the event; no personal details."""

    customer_id = serializers.UUIDField()
    person_id = serializers.UUIDField(help_text="Same as customerId.")
    application_id = serializers.UUIDField()
    attempt = serializers.IntegerField()
    partner_supplied_id = serializers.CharField()
    action = serializers.CharField(allow_null=True, help_text="The word of the event, if any.")
    status = serializers.ChoiceField(ApplicationStatus.choices)
    previous_status = serializers.ChoiceField(ApplicationStatus.choices, allow_null=True)
    status_group = serializers.ChoiceField(StatusGroup.choices)
    ubo_id = serializers.UUIDField(required=False, help_text="The owner whom it concerns.")
    document_id = serializers.UUIDField(required=False, help_text="The document.")
    llc_file_type = serializers.CharField(required=False, help_text="What the document is.")
    missing_docs = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The documents that are wanted."
    )
    reason_codes = serializers.ListField(
        child=serializers.ChoiceField(DenialReason.choices),
        required=False,
        help_text="Why it was denied.",
    )
    account_number_masked = serializers.CharField(required=False)
    routing_number = serializers.CharField(required=False)
    is_temp = serializers.BooleanField(
        required=False, help_text="Whether the account is open temporarily."
    )
    expiration_date = serializers.DateField(
        required=False, allow_null=True, help_text="Until when, if it is."
    )
    missing_documents = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="What is wanted until then."
    )
    payment_id = serializers.UUIDField(required=False, help_text="The payment of a bill.")
    method = serializers.ChoiceField(
        PaymentMethod.choices, required=False, help_text="How the payment was sent."
    )
    card_id = serializers.UUIDField(required=False, help_text="The card.")
    change_id = serializers.UUIDField(required=False, help_text="The requested change.")
    changed_fields = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Names of the changed values."
    )
    change_denial_reason = serializers.ChoiceField(
        ChangeDenialReason.choices, required=False, help_text="Why the change was denied."
    )

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        fields["missing_docs"] = asked = fields.pop("missingDocs")  # `missing_docs` on the wire
        asked.source = None
        return fields


class EventSerializer(Representation):
    """An event, in the form in which webhooks receive events."""

    id = serializers.CharField(help_text="The same however often it is sent: drop what you know.")
    type = serializers.ChoiceField(published_choices())
    timestamp = Timestamp(help_text="When it happened.")
    environment = serializers.CharField(help_text="`sandbox` or `production`.")
    api_version = serializers.CharField()
    sequence = serializers.IntegerField(help_text="Counts per lead from 1, without gaps.")
    data = EventDataSerializer()


class EventListSerializer(Representation):
    """A page of the partner's events, in the order in which they were published."""

    events = EventSerializer(many=True)
    next_after = serializers.CharField(
        allow_null=True,
        help_text="Send it as `after` to read on, now or later; null as long as there is none.",
    )
    has_more = serializers.BooleanField(help_text="Whether more can be read at once.")
