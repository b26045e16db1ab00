"""Reads of a partner's webhooks and their deliveries."""

from django.db.models import QuerySet

from foundation import external_ids
from onboarding.errors import ErrorCode, Refused
from onboarding.models import Delivery, Partner, Webhook

SECRETS = ["token", "signing_secret", "previous_secret"]
COLUMNS = [  # columns of a delivery and its publication that are shown
    "external_id",
    "lane__webhook__status",
    "status",
    "attempts",
    "status_code",
    "fault",
    "next_attempt_at",
    "created_at",
    "finished_at",
    "publication__message_id",
    "publication__type",
    "publication__lead__external_id",
]


class WebhookNotFound(Refused):
    """No webhook of this partner has the id; other partners' webhooks count as not found."""

    code = ErrorCode.WEBHOOK_NOT_FOUND


class DeliveryNotFound(Refused):
    """No delivery of this webhook has the id."""

    code = ErrorCode.DELIVERY_NOT_FOUND


def list_webhooks(partner: Partner) -> QuerySet[Webhook]:
    """Return the partner's webhooks, oldest first, without their secrets."""
    return Webhook.objects.kept().filter(partner=partner).defer(*SECRETS).order_by("pk")


def get_webhook(*, partner: Partner, webhook_id: str) -> Webhook:
    """Return a webhook of the partner without its secrets.

    Raises: WebhookNotFound, also for an id that is no UUID.
    """
    webhook = list_webhooks(partner).filter(external_id=external_ids.parse(webhook_id)).first()
    if webhook is None:
        raise WebhookNotFound
    return webhook


def search_deliveries(webhook: Webhook, *, status: str = "") -> QuerySet[Delivery]:
    """Return the deliveries of a webhook, newest first, with their attempts.

    `status` is a ShownDeliveryStatus.
    """
    found = Delivery.objects.filter(lane__webhook=webhook)
    if status:
        found = found.shown_as(status)
    whole = found.select_related("publication__lead", "lane__webhook").only(*COLUMNS)
    return whole.prefetch_related("made").order_by("-pk")


def get_delivery(webhook: Webhook, *, delivery_id: str) -> Delivery:
    """Return a delivery of the webhook. Raises: DeliveryNotFound, also if the id is no UUID."""
    wanted = search_deliveries(webhook).filter(external_id=external_ids.parse(delivery_id))
    delivery = wanted.first()
    if delivery is None:
        raise DeliveryNotFound
    return delivery
