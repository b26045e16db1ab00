"""Deliveries: the operations that list, test, redeliver and recover webhook deliveries."""

from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.api import examples, paging, schema
from onboarding.api import webhook_representations as out
from onboarding.api import webhook_requests as request_serializers
from onboarding.api.parsers import open_body
from onboarding.api.partner_view import from_replica
from onboarding.api.schema import operation
from onboarding.api.views import warnings
from onboarding.api.webhooks import MANAGE, TAG, OneWebhookView
from onboarding.errors import ErrorCode, Fault, Invalid
from onboarding.models import Delivery
from onboarding.queries.webhooks import get_delivery, search_deliveries
from onboarding.services.webhooks import deliveries, endpoints

RECOVERY = request_serializers.RecoverySerializer()
DELIVERY = out.DeliverySerializer()
DELIVERY_LIST = out.DeliveryListSerializer()
RECOVERED = out.RecoveredSerializer()
REFUSED = [ErrorCode.WEBHOOK_NOT_FOUND, ErrorCode.WEBHOOK_DISABLED]
IN_THE_PAST: Final = {"en": "in the past", "es": "un momento pasado"}


class SendingView(OneWebhookView):
    """Base of operations that send to a webhook.

    A disabled webhook is refused before the body is read.
    """

    permissions = {"POST": MANAGE}

    def prepare(self, request: Request, **path: str) -> None:
        super().prepare(request, **path)
        endpoints.require_active(self.webhook)

    def accepted(self, delivery: Delivery) -> Response:
        """Respond with 202 and the queued delivery."""
        shown = get_delivery(self.webhook, delivery_id=str(delivery.external_id))
        return Response(DELIVERY.to_representation(shown), status=status.HTTP_202_ACCEPTED)


class TestView(SendingView):
    """Operation that sends a test event to a webhook."""

    @operation(
        "testWebhook",
        responses={202: out.DeliverySerializer},
        errors=REFUSED,
        parameters=[schema.WEBHOOK_ID],
        tag=TAG,
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Send a `webhook.test`; what came of it is among the deliveries."""
        return self.accepted(deliveries.send_test(self.webhook, at=timezone.now()))


class DeliveriesView(OneWebhookView):
    """Operation that lists the deliveries of a webhook."""

    permissions = {"GET": MANAGE}

    @operation(
        "listDeliveries",
        responses={200: out.DeliveryListSerializer},
        parameters=[schema.WEBHOOK_ID, *schema.DELIVERY_LIST_PARAMETERS],
        errors=[ErrorCode.WEBHOOK_NOT_FOUND, *schema.LIST_FAULTS],
        tag=TAG,
    )
    @from_replica
    def get(self, request: Request, webhook_id: str) -> Response:
        """List what the webhook was sent, or is to be sent, the newest first."""
        owner = f"the deliveries of {self.webhook.pk}"
        sent = request.query_params
        query = paging.read_list_query(sent, readers=paging.DELIVERIES, owner=owner)
        found = search_deliveries(self.webhook, **query.filters)
        return Response(DELIVERY_LIST.to_representation(paging.take_page(found, query)))


class RedeliverView(SendingView):
    """Operation that sends a delivery again."""

    @operation(
        "redeliver",
        responses={202: out.DeliverySerializer},
        errors=[*REFUSED, ErrorCode.DELIVERY_NOT_FOUND],
        parameters=[schema.WEBHOOK_ID, schema.DELIVERY_ID],
        tag=TAG,
    )
    def post(self, request: Request, webhook_id: str, delivery_id: str) -> Response:
        """Send a delivery once more, with the same `webhook-id`."""
        delivery = get_delivery(self.webhook, delivery_id=delivery_id)
        return self.accepted(deliveries.redeliver(delivery, at=timezone.now()))


class RecoverView(SendingView):
    """Operation that sends the failed, dropped and missed events of a period again."""

    @operation(
        "recoverWebhook",
        request=request_serializers.RecoverySerializer,
        responses={202: out.RecoveredSerializer},
        errors=[*REFUSED, ErrorCode.VALUE_OUT_OF_RANGE],
        parameters=[schema.WEBHOOK_ID],
        tag=TAG,
        examples=[examples.RECOVERY],
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        """Send again what was given up, dropped or never sent in a period.

        That includes what happened before the webhook was registered.
        """
        now = timezone.now()
        with open_body(request) as body:
            period = within_reach(RECOVERY.clean(body.data), at=now)
            ignored = warnings(RECOVERY.unknown(body.data))
        count = deliveries.recover(self.webhook, **period, at=now)
        answer = {**period, "recovered": count, "warnings": ignored}
        return Response(RECOVERED.to_representation(answer), status=status.HTTP_202_ACCEPTED)


def within_reach(period: dict[str, Any], *, at: datetime) -> dict[str, datetime]:
    """Return a period that begins EVENTS_SHOWN_FOR before `at` at the earliest.

    A period without an end ends at `at`; one that ends before the earliest time becomes empty.
    Raises: Invalid if the period begins after its end.
    """
    since, until = period["since"], period.get("until") or at
    if since > until:
        raise Invalid([Fault(ErrorCode.VALUE_OUT_OF_RANGE, ("since",), {"range": IN_THE_PAST})])
    earliest = min(at - settings.EVENTS_SHOWN_FOR, until)
    return {"since": max(since, earliest), "until": until}
