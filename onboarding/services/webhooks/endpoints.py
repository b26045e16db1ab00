"""Webhook endpoints: registration, changes, deletion and secrets."""

import base64
import re
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from foundation import external_ids
from foundation.outbound import http_client
from foundation.outbound.targets import AddressRefused
from onboarding import validators
from onboarding.choices import WebhookStatus, WebhookType, WebhookVersion
from onboarding.errors import ErrorCode, InvalidValue, Refused
from onboarding.models import Delivery, DeliveryAttempt, Lane, Mail, Partner, Webhook
from onboarding.queries.webhooks import WebhookNotFound
from onboarding.services.partners import limits

SECRET_BYTES: Final = 32
PLAIN_HTTP: Final = re.compile("http://", re.IGNORECASE)
NORMAL: Final[Mapping[str, Any]] = {  # defaults of absent and of cleared values
    "type": WebhookType.ALL,
    "version": WebhookVersion.V2_0,
    "event_types": [],
    "description": "",
    "chaos": {},
}
NOT_FAILING: Final[Mapping[str, Any]] = {"failing_since": None, "failure_notices": 0}
NO_PUBLIC_URL: Final = "use https, con un host público, sin credenciales ni fragmento"
GONE: Final = "The endpoint answered 410 Gone."
BY_PARTNER: Final = "Disabled over the API."
DELETED: Final = "Deleted."
BATCH_SIZE: Final = 500  # rows deleted per transaction


class WebhookLimitReached(Refused):
    """The partner has the maximum number of webhooks."""

    code = ErrorCode.WEBHOOK_LIMIT_REACHED


class WebhookDisabled(Refused):
    """The webhook is disabled, so nothing is sent to it."""

    code = ErrorCode.WEBHOOK_DISABLED


def check_server_url(text: str) -> str:
    """Return the URL with scheme and host in lower case, if deliveries may be sent to it.

    Does not resolve the host name: the addresses are checked at each delivery.
    Raises: InvalidValue.
    """
    try:
        http_client.check_url(text, allow_loopback=settings.ALLOW_LOOPBACK)
        return _normal_url(text)
    except AddressRefused as exc:
        reason = {"en": str(exc), "es": NO_PUBLIC_URL}
        raise InvalidValue(ErrorCode.WEBHOOK_URL_REJECTED, reason=reason) from None


def create_webhook(partner: Partner, details: Mapping[str, Any], *, at: datetime) -> Webhook:
    """Register a webhook, with new token and secret; None in `details` means the default.

    Call it in a transaction: it locks the partner, so that concurrent calls cannot exceed the
    limit. Raises: WebhookLimitReached.
    """
    Partner.objects.select_for_update(of=("self",), no_key=True).get(pk=partner.pk)
    most = limits.limit_of(partner, "webhooks_max")
    if partner.webhooks.kept().count() >= most:
        raise WebhookLimitReached(limit=most)
    webhook = Webhook(
        partner=partner,
        token=f"wht_{secrets.token_urlsafe(SECRET_BYTES)}",
        signing_secret=_fresh_secret(),
        created_at=at,
    )
    _put(webhook, {name: value for name, value in details.items() if value is not None})
    webhook.save()
    return webhook


@transaction.atomic
def update_webhook(webhook: Webhook, details: Mapping[str, Any]) -> Webhook:
    """Change the sent values; None restores the default. Enabling or a new URL clears failures.

    Raises: WebhookNotFound if it was deleted meanwhile.
    """
    locked = _lock(webhook)
    changed = _put(locked, details)
    locked.save(update_fields=changed)
    return locked


def enable_webhook(webhook: Webhook) -> bool:
    """Enable the webhook, and return whether it was disabled."""
    disabled = Webhook.objects.kept().filter(pk=webhook.pk, status=WebhookStatus.DISABLED)
    return bool(disabled.update(status=WebhookStatus.ACTIVE, disabled_reason="", **NOT_FAILING))


def disable_webhook(webhook: Webhook, *, reason: str) -> bool:
    """Disable the webhook, and return whether it was active."""
    active = Webhook.objects.filter(pk=webhook.pk, status=WebhookStatus.ACTIVE)
    return bool(active.update(status=WebhookStatus.DISABLED, disabled_reason=reason))


def delete_webhook(webhook: Webhook, *, at: datetime) -> None:
    """Mark the webhook as deleted: nothing more is sent, and the API hides it and its deliveries.

    Locks only the webhook's row, since workers may hold its lanes and deliveries; `purge_deleted`
    deletes all of them later. Raises: WebhookNotFound if it was deleted already.
    """
    kept = Webhook.objects.kept().filter(pk=webhook.pk)
    if not kept.update(status=WebhookStatus.DISABLED, deleted_at=at, disabled_reason=DELETED):
        raise WebhookNotFound


def list_deleted(*, before: datetime) -> QuerySet[Webhook]:
    """Return the webhooks that were marked as deleted before a time."""
    return Webhook.objects.filter(deleted_at__lt=before)


def purge_deleted(*, before: datetime) -> int:
    """Delete the rows of webhooks marked as deleted before a time, and return their number.

    Deletes their deliveries, lanes and mails, too, in batches. The time must be so long ago that
    workers which were sending then have finished.
    """
    deleted = list(list_deleted(before=before).values_list("pk", flat=True))
    for pk in deleted:
        _empty(Delivery.objects.filter(lane__webhook=pk))
        _empty(Lane.objects.filter(webhook=pk))
        _empty(Mail.objects.filter(webhook=pk))
        _raw_delete(Webhook.objects.filter(pk=pk))
    return len(deleted)


def rotate_secret(webhook: Webhook, *, at: datetime) -> Webhook:
    """Give the webhook a new secret, and return it with the secret in clear. Needs a transaction.

    For settings.WEBHOOK_SECRET_GRACE deliveries are signed with the old secret, too; a secret
    still in an earlier grace period ends at once. Raises: WebhookNotFound.
    """
    locked = _lock(webhook)
    locked.previous_secret = locked.signing_secret
    locked.previous_expires_at = at + settings.WEBHOOK_SECRET_GRACE
    locked.signing_secret = _fresh_secret()
    locked.save(update_fields=["previous_secret", "previous_expires_at", "signing_secret"])
    return locked


def read_secrets(*, partner: Partner, webhook_id: str) -> Webhook:
    """Return a webhook of the partner with its token and its secret in clear.

    For replays of responses, which are stored without secrets. Raises: WebhookNotFound.
    """
    external_id = external_ids.parse(webhook_id)
    webhook = partner.webhooks.kept().filter(external_id=external_id).first()
    if webhook is None:
        raise WebhookNotFound
    return webhook


def require_active(webhook: Webhook) -> None:
    """Raise WebhookDisabled for a disabled webhook."""
    if not webhook.is_active:
        raise WebhookDisabled


def _empty(rows: QuerySet[Any]) -> None:
    """Delete rows in batches, a transaction each; for deliveries, delete their attempts, too."""
    while batch := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE]):
        with transaction.atomic():
            if rows.model is Delivery:
                _raw_delete(DeliveryAttempt.objects.filter(delivery__in=batch))
            _raw_delete(rows.model.objects.filter(pk__in=batch))


def _raw_delete(rows: QuerySet[Any]) -> None:
    rows._raw_delete(rows.db)  # noqa: SLF001 - delete() would read all dependent rows


def _lock(webhook: Webhook) -> Webhook:
    kept = Webhook.objects.kept().filter(pk=webhook.pk)
    locked = kept.select_for_update(of=("self",)).first()
    if locked is None:
        raise WebhookNotFound
    return locked


def _put(webhook: Webhook, details: Mapping[str, Any]) -> list[str]:
    """Set the values on the webhook and return the names of the changed columns."""
    wanted = {name: NORMAL[name] if value is None else value for name, value in details.items()}
    changed = [name for name, value in wanted.items() if getattr(webhook, name) != value]
    for name in changed:
        setattr(webhook, name, wanted[name])
    if "status" in changed:
        webhook.disabled_reason = "" if webhook.is_active else BY_PARTNER
        changed.append("disabled_reason")
    if "server_url" in changed or ("status" in changed and webhook.is_active):
        for name, value in NOT_FAILING.items():
            setattr(webhook, name, value)
        changed += NOT_FAILING
    return changed


def _normal_url(text: str) -> str:
    """Return the URL with scheme and host in lower case. Raises: AddressRefused."""
    if "#" in text:
        raise AddressRefused("the URL must not have a fragment")
    is_plain = PLAIN_HTTP.match(text)
    try:
        url = validators.https_url(f"https{text[4:]}" if is_plain else text)
    except InvalidValue:
        raise AddressRefused("it is not a valid URL") from None
    return f"http{url[5:]}" if is_plain else url


def _fresh_secret() -> str:
    """Return a new secret in the format of Standard Webhooks."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}"
