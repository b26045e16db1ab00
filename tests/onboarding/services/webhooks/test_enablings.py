"""Webhooks that two administrators enable. The screen's tests have more."""

from banking.models import User
from banking.services import staff_changes
from onboarding.models import Webhook
from onboarding.services.webhooks import enablings
from tests.factories import NOON, make_webhook


def test_a_webhook_is_enabled_when_a_second_administrator_confirms_it(make_partner):
    rosa, sam = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"
    )
    webhook = make_webhook(make_partner(), status="DISABLED", failing_since=NOON)
    change = enablings.propose(webhook, by=rosa, at=NOON)
    before = Webhook.objects.get().is_active

    staff_changes.confirm(change, by=sam, at=NOON)

    after = Webhook.objects.get()
    assert (before, after.is_active, after.failing_since) == (False, True, None)
    assert change.summary[1] == "It was disabled: no reason is known."
