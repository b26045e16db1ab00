"""What partners are told about their access keys and webhooks."""

from datetime import timedelta

import pytest
from django.db import connection

from onboarding.choices import DeliveryStatus
from onboarding.event_types import MailKind
from onboarding.models import Delivery, DeliveryAttempt, Mail, Partner, Webhook
from onboarding.services.mails import mail_texts, outbox
from onboarding.services.mails.facts import Overtaken
from onboarding.services.webhooks import deliveries, endpoints
from tests.factories import NOON, later, make_partner


@pytest.fixture
def key(make_api_key):
    partner = make_partner(name="acme-1", support_email="help@acme.example.com")
    return make_api_key(partner, label="Payroll server", at=NOON, lifetime=timedelta(days=7)).key


def compose_notice(key, *, at=NOON):
    queued = outbox.queue(MailKind.KEY_EXPIRY, api_key=key, language="en", at=NOON)
    return mail_texts.compose(Mail.objects.get(pk=queued.pk), at=at)


def test_a_partner_is_told_which_key_expires_and_when(key, settings):
    settings.BANK_NAME = "Example Bank"

    mail = compose_notice(key)

    assert (mail.to, mail.reply_to) == (["help@acme.example.com"], [])
    assert mail.subject == "An access key of acme-1 expires on March 9, 2026"
    assert f"The access key {key.access_key} (Payroll server)" in mail.body
    assert "expires on March 9, 2026 at 12:00 UTC" in mail.body


def test_of_a_key_that_has_ended_nothing_is_said(key):
    with pytest.raises(Overtaken):
        compose_notice(key, at=key.expires_at)
    key.revoked_at = NOON
    key.save()
    with pytest.raises(Overtaken):
        compose_notice(key)


def test_without_an_address_a_partner_is_told_nothing(key):
    key.partner.support_email = ""
    key.partner.save()

    with pytest.raises(Overtaken, match="no address"):
        compose_notice(key)


@pytest.fixture
def failing(make_webhook, settings):
    """A webhook that has only failed since noon, with a delivery that waits and one given up."""
    settings.BASE_URL, settings.BANK_NAME = "https://bank.example.com", "Example Bank"
    partner = make_partner(name="acme-1", support_email="help@acme.example.com")
    webhook = make_webhook(
        partner, server_url="https://ada:pw@hooks.example.com/in?key=s3cret", failing_since=NOON
    )
    deliveries.send_test(webhook, at=NOON)
    deliveries.send_test(webhook, at=NOON)
    given_up, waiting = Delivery.objects.order_by("pk")
    Delivery.objects.update(failing_since=NOON)
    Delivery.objects.filter(pk=given_up.pk).update(
        status=DeliveryStatus.FAILED, next_attempt_at=None
    )
    for delivery, at, values in (
        (waiting, later(hours=1), {"fault": "connection refused"}),
        (given_up, NOON, {"status_code": 500}),
    ):
        DeliveryAttempt.objects.create(delivery=delivery, number=1, at=at, duration_ms=1, **values)
    return webhook


def compose_about(webhook, kind, *, at=NOON, language="en"):
    queued = outbox.queue(kind, webhook=webhook, language=language, at=at)
    return mail_texts.compose(Mail.objects.get(pk=queued.pk), at=at)


def disable(webhook, *, reason="Nothing but failure for 7 days."):
    Webhook.objects.filter(pk=webhook.pk).update(status="DISABLED", disabled_reason=reason)


def test_a_partner_is_told_which_webhook_fails_and_what_comes_of_it(failing):
    mail = compose_about(failing, MailKind.WEBHOOK_FAILING, at=later(days=1))

    url = f"https://bank.example.com/service/api/v1/webhooks/{failing.external_id}"
    assert (mail.to, mail.reply_to) == (["help@acme.example.com"], [])
    assert mail.subject == "A webhook of acme-1 is failing"
    assert mail.body == (
        "Every delivery to the webhook hooks.example.com/in of acme-1 has failed since March 2, "
        "2026 at 12:00 UTC. The last attempt failed: connection refused.\n"
        "\n"
        "If no delivery succeeds, we will disable the webhook at the first failure after March 9, "
        "2026 at 12:00 UTC and send nothing more to it. One successful delivery prevents this.\n"
        "\n"
        "1 delivery is waiting. To test the endpoint, call:\n"
        "\n"
        f"POST {url}/test\n"
        "\n"
        "We do not retry deliveries after their last attempt has failed. To send them again when "
        "the endpoint works, call:\n"
        "\n"
        f"POST {url}/recover\n"
        '{"since": "2026-03-02T00:00:00Z"}\n'
        "\n"
        "API documentation: https://bank.example.com/service/api/v1/docs\n"
        "\n"
        "Example Bank"
    )


def test_a_partner_is_told_that_a_webhook_was_disabled_and_how_to_enable_it(failing):
    DeliveryAttempt.objects.filter(status_code=500).update(at=later(hours=2))
    disable(failing)

    mail = compose_about(failing, MailKind.WEBHOOK_DISABLED, at=later(days=7))

    url = f"https://bank.example.com/service/api/v1/webhooks/{failing.external_id}"
    assert mail.subject == "A webhook of acme-1 was disabled"
    assert mail.body == (
        "The webhook hooks.example.com/in of acme-1 was disabled on March 9, 2026 at 12:00 UTC. "
        "Nothing is sent to it until it is enabled again.\n"
        "\n"
        "Every delivery has failed since March 2, 2026 at 12:00 UTC. The last attempt was answered "
        "with the HTTP status 500.\n"
        "\n"
        "When the endpoint works again, enable the webhook. Call:\n"
        "\n"
        f"POST {url}\n"
        '{"status": "ACTIVE"}\n'
        "\n"
        "1 delivery is held and will be sent then. We do not automatically send deliveries whose "
        "last attempt has failed, or events that happened while the webhook was disabled. To send "
        "them, call:\n"
        "\n"
        f"POST {url}/recover\n"
        '{"since": "2026-03-02T00:00:00Z"}\n'
        "\n"
        "API documentation: https://bank.example.com/service/api/v1/docs\n"
        "\n"
        "Example Bank"
    )


def test_a_webhook_whose_endpoint_is_gone_was_disabled_for_that(failing):
    disable(failing, reason="The endpoint answered 410 Gone.")

    body = compose_about(failing, MailKind.WEBHOOK_DISABLED).body

    assert "410 (Gone). This status tells us to send nothing more." in body
    assert "Every delivery has failed" not in body


def test_of_a_disabled_webhook_that_still_answered_the_mail_leaves(failing):
    Webhook.objects.update(failing_since=None)
    disable(failing)

    assert "was disabled on March 2" in compose_about(failing, MailKind.WEBHOOK_DISABLED).body


def test_mails_about_webhooks_are_there_in_spanish(failing):
    body = compose_about(failing, MailKind.WEBHOOK_FAILING, language="es").body
    assert "han fallado desde el 2 de marzo de 2026 a las 12:00 UTC." in body
    assert "1 entrega está en espera." in body
    disable(failing)

    mail = compose_about(failing, MailKind.WEBHOOK_DISABLED, language="es")

    assert mail.subject == "Un webhook de acme-1 fue desactivado"
    assert "1 entrega está retenida y se enviará entonces." in mail.body


@pytest.mark.parametrize("kind", [MailKind.WEBHOOK_FAILING, MailKind.WEBHOOK_DISABLED])
def test_a_mail_about_a_webhook_tells_no_secret(failing, kind):
    if kind is MailKind.WEBHOOK_DISABLED:
        disable(failing)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE onboarding_webhook SET token = 'e1.gone.AAAA'")  # is not opened

    mail = compose_about(failing, kind)

    (html, _), text = mail.alternatives[0], mail.subject + mail.body
    for secret in ("s3cret", "pw@", "ada:", "whsec_", "gone"):
        assert secret not in text + html


def test_of_a_webhook_that_works_by_now_nothing_is_said(failing):
    endpoints.disable_webhook(failing, reason="Disabled by the bank.")
    with pytest.raises(Overtaken, match="disabled or enabled since"):
        compose_about(failing, MailKind.WEBHOOK_FAILING)
    endpoints.enable_webhook(failing)
    with pytest.raises(Overtaken, match="disabled or enabled since"):
        compose_about(failing, MailKind.WEBHOOK_DISABLED)
    with pytest.raises(Overtaken, match="has worked since"):
        compose_about(failing, MailKind.WEBHOOK_FAILING)
    Webhook.objects.update(failing_since=later(seconds=1))
    with pytest.raises(Overtaken, match="has worked since"):
        compose_about(failing, MailKind.WEBHOOK_FAILING)


def test_of_a_deleted_webhook_nothing_is_said(failing):
    endpoints.delete_webhook(failing, at=NOON)

    with pytest.raises(Overtaken, match="was deleted"):
        compose_about(failing, MailKind.WEBHOOK_DISABLED)


def test_a_partner_that_took_its_address_back_is_not_told_of_webhooks(failing):
    Partner.objects.update(support_email="")

    with pytest.raises(Overtaken, match="no address"):
        compose_about(failing, MailKind.WEBHOOK_FAILING)
