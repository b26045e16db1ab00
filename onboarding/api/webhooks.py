"""The operations on webhooks: validate, call one service, represent."""

import hashlib
from typing import Any

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.api import examples, schema
from onboarding.api import webhook_representations as out
from onboarding.api import webhook_shapes as shapes
from onboarding.api.idempotency import once
from onboarding.api.parsers import Body
from onboarding.api.partner_view import PartnerView
from onboarding.api.schema import operation
from onboarding.api.views import opened, warnings
from onboarding.choices import Permission
from onboarding.errors import ErrorCode
from onboarding.models import Webhook
from onboarding.queries import webhooks as webhook_queries
from onboarding.services.webhooks import endpoints

NEW_WEBHOOK = shapes.WebhookSerializer()
WEBHOOK_UPDATE = shapes.WebhookUpdateSerializer()
WEBHOOK = out.WebhookRepresentation()
WEBHOOKS = out.WebhookRepresentation(many=True)
SECRETS = out.SecretsRepresentation()
UPDATED = out.WebhookUpdatedSerializer()
ROTATED = out.SecretRotatedSerializer()
MANAGE = Permission.WEBHOOK_MANAGE
TAG = "webhooks"
NO_BODY = hashlib.sha256(b"").hexdigest()


class WebhooksView(PartnerView):
    """All webhooks of the partner."""

    permissions = {"GET": MANAGE, "PUT": MANAGE}

    @operation("listWebhooks", responses={200: out.WebhookListSerializer}, tag=TAG)
    def get(self, request: Request) -> Response:
        """List the webhooks, the oldest first."""
        listed = webhook_queries.list_webhooks(request.user)
        return Response({"webhookList": WEBHOOKS.to_representation(listed)})

    @operation(
        "createWebhook",
        request=shapes.WebhookSerializer,
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
    def put(self, request: Request) -> Response:
        """Register a webhook, and get its token and its secret.

        Nobody can read them later. Only a retry with the same `Idempotency-Key` gets those that
        are valid then; a 404 if the webhook is gone.
        """
        with opened(request) as body:
            return once(request, body.sha256, lambda: create(request, body), refresh=self.refresh)

    def refresh(self, kept: dict[str, Any]) -> dict[str, Any]:
        """Put the token and the secret back into a kept answer: those that are valid now."""
        webhook = endpoints.read_secrets(partner=self.request.user, webhook_id=kept["externalId"])
        return {**kept, **SECRETS.to_representation(webhook)}


class OneWebhookView(PartnerView):
    """What concerns one webhook; one that is not there is not read further, nor kept."""

    webhook: Webhook

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in self.allowed_methods:
            self.webhook = webhook_queries.get_webhook(
                partner=request.user, webhook_id=kwargs["webhook_id"]
            )


class WebhookView(OneWebhookView):
    """One webhook of the partner."""

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
        request=shapes.WebhookUpdateSerializer,
        responses={200: out.WebhookUpdatedSerializer},
        errors=[*schema.WEBHOOK_FAULTS, ErrorCode.WEBHOOK_NOT_FOUND],
        parameters=[schema.WEBHOOK_ID],
        tag=TAG,
        examples=[examples.WEBHOOK_UPDATE],
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Update a webhook: what is absent is kept, null is cleared."""
        with opened(request) as body:
            changed = endpoints.update_webhook(self.webhook, WEBHOOK_UPDATE.clean(body.data))
            answer = WEBHOOK.to_representation(changed)
            return Response({**answer, "warnings": warnings(WEBHOOK_UPDATE, body)})

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
    """The secret of a webhook."""

    permissions = {"POST": MANAGE}

    @operation(
        "rotateWebhookSecret",
        responses={200: out.SecretRotatedSerializer},
        errors=[ErrorCode.WEBHOOK_NOT_FOUND],
        parameters=[schema.WEBHOOK_ID],
        is_idempotent=True,
        tag=TAG,
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Replace the secret; for a while deliveries carry the old one's signature, too.

        Send an `Idempotency-Key`: to rotate twice ends the secret that you know.
        """
        return once(request, NO_BODY, lambda: rotate(self.webhook), refresh=self.refresh)

    def refresh(self, kept: dict[str, Any]) -> dict[str, Any]:
        """Put the secret back into a kept answer: the one that is valid now."""
        webhook = endpoints.read_secrets(partner=self.request.user, webhook_id=kept["externalId"])
        return ROTATED.to_representation(webhook)


def create(request: Request, body: Body) -> Response:
    """Register the webhook of the body."""
    details = NEW_WEBHOOK.clean(body.data)
    webhook = endpoints.create_webhook(request.user, details, at=timezone.now())
    answer = {
        **WEBHOOK.to_representation(webhook),
        **SECRETS.to_representation(webhook),
        "warnings": warnings(NEW_WEBHOOK, body),
    }
    return Response(answer, status=status.HTTP_201_CREATED)


def rotate(webhook: Webhook) -> Response:
    """Give the webhook a new secret."""
    rotated = endpoints.rotate_secret(webhook, at=timezone.now())
    return Response(ROTATED.to_representation(rotated))
