import base64
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from standardwebhooks.webhooks import Webhook as Verifier

from onboarding.choices import DeliveryStatus, WebhookStatus, WebhookType
from onboarding.errors import InvalidValue
from onboarding.event_types import EventType, MailKind
from onboarding.models import Delivery, DeliveryAttempt, Lane, Mail, Publication, Webhook
from onboarding.queries.webhooks import WebhookNotFound
from onboarding.services.events import publications
from onboarding.services.mails import outbox
from onboarding.services.webhooks import endpoints
from tests.factories import NOON, SIGNING_SECRET
from tests.onboarding.services.receiving import run

URL = "https://hooks.example.com/in"


def create(partner, **details):
    return endpoints.create_webhook(partner, {"server_url": URL, **details}, at=NOON)


# Create


def test_a_webhook_is_created_with_what_was_said_and_with_defaults(make_partner):
    partner = make_partner()

    created = create(partner, event_types=["application.approved"], description=None, type=None)

    webhook = Webhook.objects.get()
    assert webhook == created
    assert webhook.partner == partner
    assert webhook.server_url == URL
    assert webhook.event_types == ["application.approved"]
    assert (webhook.type, webhook.version, webhook.status) == ("ALL", "V2_0", "ACTIVE")
    assert (webhook.description, webhook.chaos, webhook.created_at) == ("", {}, NOON)


def test_its_secrets_are_long_and_its_own(make_partner):
    partner = make_partner()

    first, second = create(partner), create(partner)

    assert first.token != second.token
    assert first.signing_secret != second.signing_secret
    assert len(base64.b64decode(first.signing_secret.removeprefix("whsec_"))) == 32
    assert Verifier(first.signing_secret)
    assert len(first.token) >= 43


def test_its_secrets_are_sealed_where_they_are_stored(make_partner):
    created = create(make_partner())

    with connection.cursor() as cursor:
        cursor.execute("SELECT token, signing_secret FROM onboarding_webhook")
        stored = str(cursor.fetchone())

    assert created.token not in stored
    assert created.signing_secret.removeprefix("whsec_") not in stored
    read = endpoints.read_secrets(partner=created.partner, webhook_id=str(created.external_id))
    assert (read.token, read.signing_secret) == (created.token, created.signing_secret)


def test_nobody_else_reads_them(make_partner, make_webhook):
    webhook_id = str(make_webhook().external_id)

    for partner, text in ((make_partner(), webhook_id), (make_partner(), "nobody")):
        with pytest.raises(WebhookNotFound):
            endpoints.read_secrets(partner=partner, webhook_id=text)


def test_a_partner_has_only_so_many(make_partner, settings):
    settings.WEBHOOKS_MAX = 2
    partner = make_partner()
    create(make_partner())
    create(partner)
    create(partner)

    with pytest.raises(endpoints.WebhookLimitReached):
        create(partner)

    assert partner.webhooks.count() == 2


def test_of_two_at_once_one_gets_the_last_place(in_threads, make_partner, settings):
    settings.WEBHOOKS_MAX = 3
    partner = make_partner()

    def create_in_transaction(number):
        with transaction.atomic():
            return create(partner, description=f"{number}")

    results = in_threads(create_in_transaction, range(6))

    refused = [one for one in results if isinstance(one, endpoints.WebhookLimitReached)]
    assert len(refused) == 3
    assert partner.webhooks.count() == 3


# Where it may be


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://hooks.example.com/in?a=1", "https://hooks.example.com/in?a=1"),
        ("HTTPS://Hooks.Example.COM/In", "https://hooks.example.com/In"),
        ("https://hooks.example.com:8443", "https://hooks.example.com:8443"),
        ("https://[2606:4700::1111]/in", "https://[2606:4700::1111]/in"),
        ("http://localhost:9000/in", "http://localhost:9000/in"),
        ("HTTP://127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("http://[::1]:9000/", "http://[::1]:9000/"),
    ],
)
def test_a_url_may_be_called(text, url):
    assert endpoints.check_server_url(text) == url


REFUSED = [
    "hooks.example.com",
    "ftp://hooks.example.com",
    "http://hooks.example.com",
    "https://user:password@hooks.example.com",
    "https://hooks.example.com/#in",
    "https://hooks",
    "https://hooks.example.com:0",
    "https://hooks.example.com:99999",
    "https://hooks.example.com/a b",
    "https://hooks.example.com\\@evil.example.com",
    "https://10.0.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://2130706433.",
    "https://0x7f.1/",
    "https://0.0.0.0/",
    "http://10.0.0.1/",
    "https://münchen.example.com/",
    "",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_url_may_not_be_called(text):
    with pytest.raises(InvalidValue, match="WEBHOOK_URL_REJECTED") as refused:
        endpoints.check_server_url(text)

    assert set(refused.value.params["reason"]) == {"en", "es"}


@pytest.mark.parametrize("text", ["http://localhost/", "https://127.0.0.1/", "https://[::1]/"])
def test_loopback_is_refused_unless_a_setting_allows_it(text, settings):
    settings.ALLOW_LOOPBACK = False

    with pytest.raises(InvalidValue):
        endpoints.check_server_url(text)


# Update


def test_what_is_not_said_is_kept_and_none_clears(make_webhook):
    webhook = make_webhook(description="Old", type=WebhookType.ONBOARDING, chaos={"drop": 0.5})

    changed = endpoints.update_webhook(webhook, {"description": None, "event_types": ["x"]})

    stored = Webhook.objects.get()
    assert (stored.description, stored.event_types) == ("", ["x"])
    assert (stored.type, stored.chaos) == ("ONBOARDING", {"drop": 0.5})
    assert stored.signing_secret == SIGNING_SECRET
    assert changed.description == ""


def test_enabled_again_it_forgets_its_failures(make_webhook):
    webhook = make_webhook(
        status="DISABLED", disabled_reason="Gone.", failing_since=NOON, failure_notices=1
    )

    changed = endpoints.update_webhook(webhook, {"status": WebhookStatus.ACTIVE})

    changed.refresh_from_db()
    assert changed.is_active
    assert (changed.disabled_reason, changed.failing_since) == ("", None)


def test_what_is_active_already_goes_on_failing(make_webhook):
    webhook = make_webhook(failing_since=NOON)

    assert endpoints.update_webhook(webhook, {"status": "ACTIVE"}).failing_since == NOON


def test_somewhere_else_it_begins_anew(make_webhook):
    webhook = make_webhook(failing_since=NOON, failure_notices=1)

    endpoints.update_webhook(webhook, {"server_url": URL})

    webhook.refresh_from_db()
    assert (webhook.server_url, webhook.failing_since) == (URL, None)


def test_disabled_by_its_partner_it_says_so(make_webhook):
    changed = endpoints.update_webhook(make_webhook(), {"status": "DISABLED"})

    assert changed.disabled_reason == "Disabled over the API."


def test_staff_disable_and_enable_once(make_webhook):
    webhook = make_webhook(failing_since=NOON, failure_notices=1)

    assert endpoints.disable_webhook(webhook, reason="Asked for by phone.")
    assert not endpoints.disable_webhook(webhook, reason="Again.")
    webhook.refresh_from_db()
    assert webhook.disabled_reason == "Asked for by phone."
    assert endpoints.enable_webhook(webhook)
    assert not endpoints.enable_webhook(webhook)
    webhook.refresh_from_db()
    assert (webhook.disabled_reason, webhook.failing_since) == ("", None)


def test_only_an_active_one_is_sent_something(make_webhook):
    endpoints.require_active(make_webhook())

    with pytest.raises(endpoints.WebhookDisabled):
        endpoints.require_active(make_webhook(status="DISABLED"))


# Rotate


def test_a_rotated_secret_leaves_the_old_one_for_a_while(make_webhook, settings):
    webhook = make_webhook()

    rotated = endpoints.rotate_secret(webhook, at=NOON)

    webhook.refresh_from_db()
    assert webhook.signing_secret == rotated.signing_secret != SIGNING_SECRET
    assert webhook.previous_secret == SIGNING_SECRET
    assert webhook.previous_expires_at == NOON + settings.WEBHOOK_SECRET_GRACE
    assert webhook.token == "test-token"


def test_rotated_twice_only_the_last_two_are_left(make_webhook):
    webhook = make_webhook()

    first = endpoints.rotate_secret(webhook, at=NOON)
    second = endpoints.rotate_secret(webhook, at=NOON + timedelta(hours=1))

    webhook.refresh_from_db()
    assert webhook.signing_secret == second.signing_secret
    assert webhook.previous_secret == first.signing_secret


# Delete


def fill(webhook, times):
    """Give a webhook a lane with deliveries that were given up."""
    lane = Lane.objects.create(webhook=webhook)
    for number in range(times):
        test = Publication.objects.create(
            message_id=f"{webhook.pk}.{number}",
            partner=webhook.partner,
            type="webhook.test",
            body="{}",
            published_at=NOON,
        )
        delivery = Delivery.objects.create(
            lane=lane, publication=test, status=DeliveryStatus.FAILED, created_at=NOON
        )
        DeliveryAttempt.objects.create(delivery=delivery, number=1, at=NOON, duration_ms=1)


def count_rows():
    return [model.objects.count() for model in (Webhook, Lane, Delivery, DeliveryAttempt)]


def test_a_webhook_is_deleted_by_one_statement_that_leaves_its_rows(
    make_webhook, django_assert_num_queries
):
    webhook = make_webhook()
    fill(webhook, 2)

    with django_assert_num_queries(1):
        endpoints.delete_webhook(webhook, at=NOON)

    webhook.refresh_from_db()
    assert (webhook.status, webhook.deleted_at) == (WebhookStatus.DISABLED, NOON)
    assert webhook.disabled_reason == "Deleted."
    assert count_rows() == [1, 1, 2, 2]


def test_what_was_deleted_is_not_found(make_webhook):
    webhook = make_webhook()
    endpoints.delete_webhook(Webhook.objects.get(), at=NOON)

    for change in (
        lambda: endpoints.update_webhook(webhook, {"status": "ACTIVE"}),
        lambda: endpoints.rotate_secret(webhook, at=NOON),
        lambda: endpoints.delete_webhook(webhook, at=NOON + timedelta(hours=1)),
        lambda: endpoints.read_secrets(
            partner=webhook.partner, webhook_id=str(webhook.external_id)
        ),
    ):
        with pytest.raises(WebhookNotFound):
            change()
    assert not endpoints.enable_webhook(webhook)
    assert not endpoints.disable_webhook(webhook, reason="Gone.")
    webhook.refresh_from_db()
    assert (webhook.deleted_at, webhook.disabled_reason) == (NOON, "Deleted.")


def test_a_deleted_webhook_makes_room_for_another(make_partner, settings):
    settings.WEBHOOKS_MAX = 1
    partner = make_partner()
    endpoints.delete_webhook(create(partner), at=NOON)

    assert create(partner).is_active


def test_a_webhook_that_does_not_fail_has_no_notices_of_failures(make_webhook):
    with pytest.raises(IntegrityError, match="webhook_notices_of_failures"):
        make_webhook(failure_notices=1)


def test_a_deleted_webhook_cannot_be_active(make_webhook):
    with pytest.raises(IntegrityError, match="webhook_deleted_is_disabled"):
        make_webhook(deleted_at=NOON)


@pytest.mark.parametrize("batch", [1, 3, 500])
def test_what_was_deleted_long_ago_is_purged_with_all_that_was_sent(
    make_webhook, monkeypatch, batch
):
    monkeypatch.setattr(endpoints, "BATCH_SIZE", batch)
    kept, late, old = make_webhook(), make_webhook(), make_webhook()
    for webhook in (kept, late, old):
        fill(webhook, 4)
    endpoints.delete_webhook(late, at=NOON)
    endpoints.delete_webhook(old, at=NOON - timedelta(seconds=1))

    assert endpoints.purge_deleted(before=NOON) == 1

    assert set(Webhook.objects.all()) == {kept, late}
    assert count_rows() == [2, 2, 8, 8]
    assert endpoints.purge_deleted(before=NOON) == 0


def test_the_mails_about_a_webhook_go_with_it(make_webhook):
    kept, old = make_webhook(), make_webhook()
    for webhook in (kept, old):
        outbox.queue(MailKind.WEBHOOK_DISABLED, webhook=webhook, language="en", at=NOON)
    endpoints.delete_webhook(old, at=NOON)

    assert endpoints.purge_deleted(before=NOON + timedelta(seconds=1)) == 1

    assert Mail.objects.get().webhook == kept


def test_many_are_purged_in_a_few_statements(make_webhook, django_assert_max_num_queries):
    webhook = make_webhook()
    fill(webhook, 40)
    endpoints.delete_webhook(webhook, at=NOON - timedelta(seconds=1))

    with django_assert_max_num_queries(14):
        endpoints.purge_deleted(before=NOON)


def test_webhooks_are_deleted_while_others_publish_and_send(
    in_threads, make_partner, make_lead, make_application, make_event, make_webhook, receiver
):
    partner = make_partner()
    doomed = [make_webhook(partner), make_webhook(partner), make_webhook(partner)]
    kept = make_webhook(partner)
    applications = [make_application(make_lead(partner)), make_application(make_lead(partner))]

    def publish(times):
        for application in applications * times:
            make_event(application, EventType.STARTED)
            publications.publish(at=NOON)

    def send(times):
        for webhook in (*doomed, kept) * times:
            run(webhook)

    def delete(times):
        for webhook in doomed[:times]:
            endpoints.delete_webhook(webhook, at=NOON)

    publish(1)
    results = in_threads(lambda work: work(3), [send, send, publish, delete])

    assert results == [None] * 4
    run(kept)
    sent = Delivery.objects.filter(lane__webhook=kept, status=DeliveryStatus.DELIVERED)
    assert sent.count() == 4 * len(applications)
    assert endpoints.purge_deleted(before=NOON + timedelta(days=1)) == 3
    assert Webhook.objects.get() == kept
