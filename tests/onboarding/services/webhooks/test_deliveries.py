"""The engine of deliveries; what is sent stops at `posting.post`, which has tests of its own."""

import threading
from datetime import timedelta
from itertools import pairwise
from unittest.mock import Mock

import pytest
from django.db.models import F

from onboarding.choices import DeliveryStatus, WebhookStatus
from onboarding.event_types import MailKind
from onboarding.models import Delivery, DeliveryAttempt, Lane, Mail, Partner, Publication, Webhook
from onboarding.services.events import publications
from onboarding.services.mails import outbox
from onboarding.services.webhooks import deliveries, endpoints, fault_injection
from onboarding.services.webhooks.posting import Outcome
from tests.factories import NOON, later
from tests.onboarding.services.receiving import BROKEN, OK, run


def only_delivery():
    return Delivery.objects.get()


def test_events_of_a_lead_go_in_their_order(receiver, happen, application, webhook):
    happen(application, 3)

    assert run(webhook) == 3

    assert receiver.sequences == [1, 2, 3]
    assert set(Delivery.objects.values_list("status", flat=True)) == {DeliveryStatus.DELIVERED}


def test_an_attempt_is_written_down(receiver, happen, application, webhook):
    happen(application)
    receiver.answer = BROKEN

    run(webhook)

    attempt = DeliveryAttempt.objects.get()
    assert (attempt.number, attempt.status_code, attempt.answer) == (1, 500, "no")
    assert (attempt.duration_ms, attempt.at, attempt.fault) == (9, NOON, "answered 500")
    delivery = only_delivery()
    assert (delivery.attempts, delivery.status_code) == (1, 500)


def test_what_was_sent_is_not_sent_again(receiver, happen, application, webhook):
    happen(application)

    assert [run(webhook), run(webhook, at=later(days=1))] == [1, 0]


def test_a_failure_is_tried_again_after_each_delay_and_given_up(
    receiver, happen, application, webhook
):
    happen(application)
    receiver.answer = BROKEN
    moments = [NOON]
    for _ in range(10):
        run(webhook, at=moments[-1])
        if only_delivery().next_attempt_at is None:
            break
        moments.append(only_delivery().next_attempt_at)

    delays = [int((b - a).total_seconds()) for a, b in pairwise(moments)]
    assert delays == [60, 180, 600, 1800]
    assert only_delivery().status == DeliveryStatus.FAILED
    assert len(receiver.came) == 5


def test_retries_carry_the_same_id(receiver, happen, application, webhook):
    happen(application)
    receiver.answers = [BROKEN]

    run(webhook)
    run(webhook, at=later(seconds=60))

    assert len(receiver.ids) == 2
    assert len(set(receiver.ids)) == 1


def test_nothing_is_tried_before_its_time(receiver, happen, application, webhook):
    happen(application)
    receiver.answers = [BROKEN]
    run(webhook)

    assert run(webhook, at=later(seconds=59)) == 0


def test_a_delay_is_left_to_chance_by_a_fifth(settings):
    settings.RETRY_DELAYS, settings.RETRY_JITTER = [0, 100], 0.2

    delays = [deliveries.retry_delay(1).total_seconds() for _ in range(200)]

    assert 80 <= min(delays) < 90
    assert 110 < max(delays) <= 120


@pytest.mark.parametrize(("wish", "waited"), [(300, 300), (5, 60)])
def test_a_receiver_may_ask_for_more_time(receiver, happen, application, webhook, wish, waited):
    happen(application)
    receiver.answer = Outcome(status_code=429, retry_after=timedelta(seconds=wish))

    run(webhook)

    assert only_delivery().next_attempt_at == later(seconds=waited)


def test_a_failure_holds_back_what_comes_after_it(receiver, happen, application, webhook):
    happen(application, 3)
    receiver.answers = [BROKEN]

    run(webhook)

    assert receiver.sequences == [1]
    run(webhook, at=later(seconds=60))
    assert receiver.sequences == [1, 1, 2, 3]


def test_one_lead_s_failure_holds_back_no_other_lead(
    receiver, happen, application, webhook, make_application, make_lead
):
    happen(application)
    happen(make_application(make_lead(webhook.partner)))
    receiver.answers = [BROKEN]

    run(webhook)

    assert len(receiver.came) == 2


def test_who_lost_the_lane_writes_nothing_down(receiver, happen, application, webhook):
    happen(application)

    def post_slowly(_webhook, _publication, *, at, **_options):
        Lane.objects.update(claims=F("claims") + 1)
        return OK

    deliveries.posting.post = post_slowly
    run(webhook)

    assert only_delivery().status == DeliveryStatus.PENDING
    assert not DeliveryAttempt.objects.exists()


def test_a_fault_of_ours_is_a_failure_like_any_other(receiver, happen, application, webhook):
    happen(application)

    def break_down(*_arguments, **_options):
        raise ZeroDivisionError

    deliveries.posting.post = break_down
    run(webhook)

    assert only_delivery().fault == "internal error"
    assert only_delivery().next_attempt_at == later(seconds=60)


def test_an_endpoint_that_is_gone_is_disabled(receiver, happen, application, webhook):
    happen(application, 2)
    receiver.answer = Outcome(status_code=410)

    run(webhook)

    webhook.refresh_from_db()
    assert webhook.status == WebhookStatus.DISABLED
    assert webhook.disabled_reason == "The endpoint answered 410 Gone."
    assert len(receiver.came) == 1
    assert run(webhook, at=later(days=1)) == 0


@pytest.mark.parametrize(("days", "is_disabled"), [(6, False), (7, True)])
def test_seven_days_of_nothing_but_failure_disable_it(
    receiver, happen, application, webhook, days, is_disabled
):
    happen(application, at=later(days=days))
    Webhook.objects.update(failing_since=NOON)
    receiver.answer = BROKEN

    run(webhook, at=later(days=days))

    webhook.refresh_from_db()
    assert (webhook.status == WebhookStatus.DISABLED) == is_disabled


def test_one_success_ends_the_count_of_failures(receiver, happen, application, webhook):
    happen(application)
    Webhook.objects.update(failing_since=NOON, failure_notices=2)

    run(webhook)

    webhook.refresh_from_db()
    assert (webhook.failing_since, webhook.failure_notices) == (None, 0)


GONE = Outcome(status_code=410)


@pytest.fixture
def address(webhook):
    """Let the partner have an address that mails go to."""
    Partner.objects.update(support_email="help@acme.example.com")


def mail_kinds():
    return list(Mail.objects.order_by("pk").values_list("kind", flat=True))


@pytest.mark.parametrize(("answer", "failing_for"), [(GONE, 0), (BROKEN, 7)])
@pytest.mark.usefixtures("address")
def test_a_partner_is_told_of_each_disabling_once(
    receiver, happen, application, webhook, answer, failing_for
):
    receiver.answer = answer
    for day in (0, 10):
        happen(application, at=later(days=day))
        Webhook.objects.update(failing_since=later(days=day - failing_for))
        run(webhook, at=later(days=day))
        run(webhook, at=later(days=day + 1))
        endpoints.enable_webhook(webhook)

    assert mail_kinds() == [MailKind.WEBHOOK_DISABLED] * 2
    assert set(Mail.objects.values_list("webhook", flat=True)) == {webhook.pk}


@pytest.mark.usefixtures("address")
def test_a_failure_that_disables_nothing_is_not_mailed_by_itself(
    receiver, happen, application, webhook
):
    receiver.answer = BROKEN
    happen(application)

    run(webhook)

    assert mail_kinds() == []


def test_without_an_address_a_webhook_is_disabled_all_the_same(
    receiver, happen, application, webhook
):
    receiver.answer = GONE
    happen(application)

    run(webhook)

    webhook.refresh_from_db()
    assert not webhook.is_active
    assert mail_kinds() == []


@pytest.mark.usefixtures("address")
def test_nobody_is_mailed_of_a_webhook_that_somebody_disabled(webhook):
    endpoints.update_webhook(webhook, {"status": WebhookStatus.DISABLED})
    endpoints.enable_webhook(webhook)
    endpoints.disable_webhook(webhook, reason="Disabled by the bank.")

    assert mail_kinds() == []


@pytest.mark.usefixtures("address")
def test_a_webhook_is_disabled_together_with_its_mail_or_not_at_all(
    receiver, happen, application, webhook, monkeypatch
):
    receiver.answer = GONE
    happen(application)
    monkeypatch.setattr(outbox, "queue", Mock(side_effect=KeyboardInterrupt))

    with pytest.raises(KeyboardInterrupt):
        run(webhook)

    webhook.refresh_from_db()
    assert (webhook.is_active, webhook.failing_since) == (True, None)
    assert only_delivery().attempts == 0


def test_two_runners_that_disable_a_webhook_tell_of_it_once(
    in_threads, receiver, happen, make_partner, make_webhook, make_application, make_lead
):
    webhook = make_webhook(make_partner(support_email="help@acme.example.com"))
    for _ in range(2):
        happen(make_application(make_lead(webhook.partner)))
    both_posted = threading.Barrier(2, timeout=60)

    def post(*_arguments, **_options):
        both_posted.wait()
        return GONE

    deliveries.posting.post = post

    assert in_threads(run, [webhook] * 2) == [1, 1]

    assert mail_kinds() == [MailKind.WEBHOOK_DISABLED]


def test_a_slow_answer_makes_a_webhook_slow_until_a_fast_one(
    receiver, happen, application, webhook
):
    receiver.answers = [Outcome(status_code=204, duration_ms=2001)]
    happen(application)
    run(webhook)
    webhook.refresh_from_db()
    assert webhook.slow_since == NOON

    happen(application)
    run(webhook)

    webhook.refresh_from_db()
    assert webhook.slow_since is None


def test_enabled_again_it_gets_what_waited(receiver, happen, application, webhook):
    happen(application, 2)
    Webhook.objects.update(status=WebhookStatus.DISABLED)
    assert run(webhook) == 0
    Webhook.objects.update(status=WebhookStatus.ACTIVE)

    assert run(webhook, at=later(days=1)) == 2


def test_a_delivery_can_be_sent_again(receiver, happen, application, webhook):
    happen(application)
    run(webhook)

    deliveries.redeliver(only_delivery(), at=later(hours=1))
    run(webhook, at=later(hours=1))

    assert len(receiver.ids) == 2
    assert len(set(receiver.ids)) == 1
    assert only_delivery().attempts == 2
    assert list(DeliveryAttempt.objects.values_list("number", flat=True)) == [1, 2]


def test_recovery_sends_what_failed_and_what_was_never_entered(
    receiver, happen, application, webhook
):
    happen(application)
    run(webhook)
    happen(application, at=later(hours=1))
    Delivery.objects.filter(next_attempt_at__isnull=False).update(
        status=DeliveryStatus.FAILED, next_attempt_at=None
    )
    Webhook.objects.update(status=WebhookStatus.DISABLED)
    happen(application, at=later(hours=2))
    Webhook.objects.update(status=WebhookStatus.ACTIVE)

    count = deliveries.recover(webhook, since=NOON, until=later(hours=3), at=later(hours=3))
    run(webhook, at=later(hours=3))

    assert count == 2
    assert receiver.sequences == [1, 2, 3]


def test_recovery_leaves_other_times_and_partners_alone(
    receiver, happen, application, webhook, make_event
):
    Webhook.objects.update(status=WebhookStatus.DISABLED)
    happen(application, at=later(hours=1))
    make_event(at=later(hours=1))
    publications.publish(at=later(hours=1))

    before = deliveries.recover(webhook, since=NOON, until=later(hours=1), at=later(hours=3))
    after = deliveries.recover(
        webhook, since=later(hours=2), until=later(hours=3), at=later(hours=3)
    )

    assert (before, after) == (0, 0)


def test_a_test_does_not_wait_behind_events(receiver, happen, application, webhook):
    happen(application)
    receiver.answers = [BROKEN]
    run(webhook)

    delivery = deliveries.send_test(webhook, at=later(seconds=1))
    run(webhook, at=later(seconds=1))

    assert receiver.came[-1]["type"] == "webhook.test"
    assert receiver.came[-1]["id"] == delivery.publication.message_id
    assert Publication.objects.get(type="webhook.test").event is None


def test_a_runner_leaves_when_it_is_told_to(receiver, happen, application, webhook):
    happen(application, 3)

    posts = deliveries.deliver_due(
        webhook.pk, clock=lambda: NOON, until=lambda: bool(receiver.came)
    )

    assert posts == 1
    assert run(webhook) == 2


@pytest.mark.parametrize(
    ("chaos", "sequences"),
    [
        ({"drop": 1}, []),
        ({"duplicate": 1}, [1, 1, 2, 2, 3, 3]),
        ({"delay_seconds": 60}, []),
    ],
)
def test_chaos_does_what_it_says(receiver, happen, application, webhook, chaos, sequences):
    Webhook.objects.update(chaos=chaos)
    happen(application, 3)

    run(webhook)

    assert receiver.sequences == sequences


def test_chaos_puts_some_out_of_order(receiver, happen, application, webhook):
    Webhook.objects.update(chaos={"reorder": 0.5})
    happen(application, 20)

    run(webhook)
    run(webhook, at=NOON + fault_injection.OVERTAKEN_FOR)

    assert receiver.sequences != sorted(receiver.sequences)
    assert sorted(receiver.sequences) == list(range(1, 21))


def test_a_delayed_event_comes_in_the_end(receiver, happen, application, webhook):
    Webhook.objects.update(chaos={"delay_seconds": 60})
    happen(application, 2)

    run(webhook, at=later(seconds=60))

    assert receiver.sequences == [1, 2]


def test_what_is_disabled_meanwhile_is_sent_nothing_more(receiver, happen, application, webhook):
    happen(application, 3)
    deliver = receiver.post

    def post(*arguments, **options):
        Webhook.objects.update(status=WebhookStatus.DISABLED)
        return deliver(*arguments, **options)

    deliveries.posting.post = post
    run(webhook)

    assert receiver.sequences == [1]
    assert Lane.objects.get().leased_until is None


def test_what_is_moved_meanwhile_is_sent_to_its_new_place(receiver, happen, application, webhook):
    happen(application, 2)
    places = []

    def post(sent_to, _publication, *, at, **_options):
        places.append(sent_to.server_url)
        Webhook.objects.update(server_url="https://moved.example.com/")
        return OK

    deliveries.posting.post = post
    run(webhook)

    assert places == [webhook.server_url, "https://moved.example.com/"]


def test_a_success_ends_the_count_though_another_lane_failed_meanwhile(
    receiver, happen, application, webhook
):
    happen(application)

    def post(*_arguments, **_options):
        Webhook.objects.update(failing_since=NOON)
        return OK

    deliveries.posting.post = post
    run(webhook)

    webhook.refresh_from_db()
    assert webhook.failing_since is None


@pytest.mark.parametrize("chaos", [{"drop": 1}, {"duplicate": 1}, {"delay_seconds": 60}])
def test_recovery_is_spared_by_chaos(receiver, happen, application, webhook, chaos):
    Webhook.objects.update(chaos=chaos, status=WebhookStatus.DISABLED)
    happen(application, 2)
    Webhook.objects.update(status=WebhookStatus.ACTIVE)
    webhook.refresh_from_db()

    count = deliveries.recover(webhook, since=NOON, until=later(hours=1), at=later(hours=1))
    run(webhook, at=later(hours=1))

    assert count == 2
    assert receiver.sequences == [1, 2]
