"""Enablings: disabled webhooks that staff enable, which a second administrator confirms."""

from datetime import datetime
from typing import Any

from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import Webhook
from onboarding.services.webhooks import endpoints


def propose(webhook: Webhook, *, by: User, at: datetime) -> StaffChange:
    """Propose to a second administrator to enable a webhook. Raises: AccountTooNew."""
    reason = webhook.disabled_reason.rstrip(".") or "no reason is known"
    summary = [
        f"Send events of {webhook.partner} to {webhook.server_url} again.",
        f"It was disabled: {reason}.",
    ]
    payload = {"webhook": webhook.pk}
    return staff_changes.propose(WEBHOOK, payload=payload, summary=summary, by=by, at=at)


def _basis(change: StaffChange) -> Any:
    webhooks = Webhook.objects.kept().filter(pk=change.payload["webhook"])
    return list(webhooks.values_list("partner__name", "server_url", "status", "disabled_reason"))


def _carry_out(change: StaffChange) -> None:
    endpoints.enable_webhook(Webhook.objects.get(pk=change.payload["webhook"]))


WEBHOOK = staff_changes.register(
    staff_changes.Kind("WEBHOOK", "Webhook enabled", _basis, _carry_out)
)
