"""Partner mails: the facts of mails about access keys and webhooks.

Facts are the variables of a mail's template.
"""

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from onboarding.event_types import MailKind
from onboarding.models import ApiKey, Delivery, DeliveryAttempt, Mail, Partner, Webhook
from onboarding.queries.webhooks import SECRETS
from onboarding.services.mails.facts import Overtaken, facts_of_partner, in_one_line
from onboarding.services.webhooks import endpoints


def facts_of_key(key: ApiKey, *, at: datetime) -> dict[str, Any]:
    """Return the template variables of a mail about an access key that expires soon.

    Raises: Overtaken if the key has ended or the partner has no support email.
    """
    if key.revoked_at or key.expires_at <= at:
        raise Overtaken("the access key has ended")
    label = in_one_line(key.label)
    return {
        **_facts_to_partner(key.partner),
        "key": f"{key.access_key} ({label})" if label else key.access_key,
        "expires_at": key.expires_at,
    }


def facts_of_webhook(mail: Mail, pk: int) -> dict[str, Any]:
    """Return the template variables of a mail about a failing or disabled webhook with key `pk`.

    Raises: Overtaken if the webhook was deleted, has worked since, or was disabled or enabled
    since, or if the partner has no support email.
    """
    webhook = Webhook.objects.defer(*SECRETS).select_related("partner").get(pk=pk)
    if webhook.deleted_at:
        raise Overtaken("the webhook was deleted")
    if webhook.is_active == (mail.kind == MailKind.WEBHOOK_DISABLED):
        raise Overtaken("the webhook was disabled or enabled since")
    since = webhook.failing_since
    if webhook.is_active and (since is None or since > mail.created_at):
        raise Overtaken("the webhook has worked since")
    sent = Delivery.objects.filter(lane__webhook=webhook)
    attempts = DeliveryAttempt.objects.filter(delivery__in=sent.exclude(failing_since=None))
    api = f"{settings.BASE_URL}/service/api/v1"
    return {
        **_facts_to_partner(webhook.partner),
        "endpoint": _endpoint(webhook),
        "since": since,
        "failed": attempts.order_by("-at", "-pk").first(),
        "is_gone": webhook.disabled_reason == endpoints.GONE,
        "ends_at": since and since + settings.WEBHOOK_DISABLED_AFTER,
        "disabled_at": mail.created_at,
        "waiting": sent.exclude(next_attempt_at=None).count(),
        "recover_from": since or mail.created_at,
        "url": f"{api}/webhooks/{webhook.external_id}",
        "docs": f"{api}/docs",
    }


def _endpoint(webhook: Webhook) -> str:
    """Return host and path of a webhook; its query and user name may be secret."""
    parts = urlsplit(webhook.server_url)
    return parts.netloc.rpartition("@")[2] + parts.path


def _facts_to_partner(partner: Partner) -> dict[str, Any]:
    """Return the template variables of all mails to a partner's support email.

    Raises: Overtaken if the partner has none.
    """
    if not partner.support_email:
        raise Overtaken("the partner has no address any more")
    return {**facts_of_partner(partner), "to": partner.support_email, "support_email": ""}
