"""Webhooks: operations that validate, call one service and serialize."""

from typing import Any

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.api import examples, schema
from onboarding.api import webhook_representations as out
from onboarding.api import webhook_requests as request_serializers
from onboarding.api.parsers import open_body
from onboarding.api.partner_view import PartnerView
from onboarding.api.schema import operation
from onboarding.api.views import warnings
from onboarding.api.writes import Sent, write
from onboarding.choices import Permission
from onboarding.errors import ErrorCode
from onboarding.models import Webhook
from onboarding.queries import webhooks as webhook_queries
from onboarding.services.documents.file_store import FileStore
from onboarding.services.webhooks import endpoints

NEW_WEBHOOK = request_serializers.WebhookSerializer()
WEBHOOK_UPDATE = request_serializers.WebhookUpdateSerializer()
WEBHOOK = out.WebhookRepresentation()
WEBHOOKS = out.WebhookRepresentation(many=True)
SECRETS = out.SecretsRepresentation()
UPDATED = out.WebhookUpdatedSerializer()
ROTATED = out.SecretRotatedSerializer()
MANAGE = Permission.WEBHOOK_MANAGE
TAG = "webhooks"


class WebhooksView(PartnerView):
    """Operations that list and register webhooks."""

    permissions = {"GET": MANAGE, "PUT": MANAGE}

    @operation("listWebhooks", responses={200: out.WebhookListSerializer}, tag=TAG)
    def get(self, request: Request) -> Response:
        """List the webhooks, the oldest first."""
        listed = webhook_queries.list_webhooks(request.user)
        return Response({"webhookList": WEBHOOKS.to_representation(listed)})

    @operation(
        "createWebhook",
        request=request_serializers.WebhookSerializer,
        responses={201: out.WebhookCreatedSerializer},
        errors=[
            *schema.WEBHOOK_FAULTS,
            ErrorCode.WEBHOOK_LIMIT_REACHED,
            ErrorCode.WEBHOOK_NOT_FOUND,
        ],
        is_idempotent=True,
        tag=TAG,
        examples=[examples.NEW_WEBHOOK],
    )
    @write(NEW_WEBHOOK)
    def put(self, request: Request, sent: Sent, _store: FileStore) -> Response:
        """Register a webhook, and get its token and its secret.

        Nobody can read them later. Only a retry with the same `Idempotency-Key` gets those that
        are valid then; a 404 if the webhook is gone.
        """
        webhook = endpoints.create_webhook(request.user, sent.values, at=timezone.now())
        answer = {
            **WEBHOOK.to_representation(webhook),
            **SECRETS.to_representation(webhook),
            "warnings": warnings(sent.unknown),
        }
        return Response(answer, status=status.HTTP_201_CREATED)

    def complete_replay(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Return a stored answer with the token and the secret that are valid now."""
        webhook = endpoints.read_secrets(partner=self.request.user, webhook_id=stored["externalId"])
        return {**stored, **SECRETS.to_representation(webhook)}


class OneWebhookView(PartnerView):
    """Base of operations on one webhook. Refuses an unknown webhook before the body is read."""

    webhook: Webhook

    def prepare(self, request: Request, **path: str) -> None:
        webhook_id = path["webhook_id"]
        self.webhook = webhook_queries.get_webhook(partner=request.user, webhook_id=webhook_id)


class WebhookView(OneWebhookView):
    """Operations that get, update and delete a webhook."""

    permissions = {"GET": MANAGE, "POST": MANAGE, "DELETE": MANAGE}

    @operation(
        "getWebhook",
        responses={200: out.WebhookRepresentation},
        errors=[ErrorCode.WEBHOOK_NOT_FOUND],
        parameters=[schema.WEBHOOK_ID],
        tag=TAG,
    )
    def get(self, request: Request, webhook_id: str) -> Response:
        """Get a webhook, and whether it works."""
        return Response(WEBHOOK.to_representation(self.webhook))

    @operation(
        "updateWebhook",
        request=request_serializers.WebhookUpdateSerializer,
        responses={200: out.WebhookUpdatedSerializer},
        errors=[*schema.WEBHOOK_FAULTS, ErrorCode.WEBHOOK_NOT_FOUND],
        parameters=[schema.WEBHOOK_ID],
        tag=TAG,
        examples=[examples.WEBHOOK_UPDATE],
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Update a webhook: an absent value is kept, null restores the default."""
        with open_body(request) as body:
            changed = endpoints.update_webhook(self.webhook, WEBHOOK_UPDATE.clean(body.data))
            answer = WEBHOOK.to_representation(changed)
            return Response({**answer, "warnings": warnings(WEBHOOK_UPDATE.unknown(body.data))})

    @operation(
        "deleteWebhook",
        responses={200: out.WebhookRepresentation},
        errors=[ErrorCode.WEBHOOK_NOT_FOUND],
        parameters=[schema.WEBHOOK_ID],
        tag=TAG,
    )
    def delete(self, request: Request, webhook_id: str) -> Response:
        """Delete a webhook with its deliveries; what it was is answered once more."""
        endpoints.delete_webhook(self.webhook, at=timezone.now())
        return Response(WEBHOOK.to_representation(self.webhook))


class RotateSecretView(OneWebhookView):
    """Operation that replaces the secret of a webhook."""

    permissions = {"POST": MANAGE}

    @operation(
        "rotateWebhookSecret",
        responses={200: out.SecretRotatedSerializer},
        errors=[ErrorCode.WEBHOOK_NOT_FOUND],
        parameters=[schema.WEBHOOK_ID],
        is_idempotent=True,
        tag=TAG,
    )
    @write(None)
    def post(self, request: Request, _sent: Sent, _store: FileStore, webhook_id: str) -> Response:
        """Replace the secret; for a while deliveries carry the old one's signature, too.

        Send an `Idempotency-Key`: to rotate twice ends the secret that you know.
        """
        rotated = endpoints.rotate_secret(self.webhook, at=timezone.now())
        return Response(ROTATED.to_representation(rotated))

    def complete_replay(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Return the secret that is valid now."""
        webhook = endpoints.read_secrets(partner=self.request.user, webhook_id=stored["externalId"])
        return ROTATED.to_representation(webhook)
