"""Lanes; what is sent stops at `posting.post`, as in the tests of deliveries."""

from datetime import timedelta

import pytest

from onboarding.models import Delivery, Lane, Webhook
from onboarding.services.events import publications
from onboarding.services.webhooks import lanes
from tests.factories import NOON, later
from tests.onboarding.services.receiving import run


def test_a_failure_of_over_five_minutes_holds_nothing_back(receiver, happen, application, webhook):
    [stuck, *_] = happen(application, 3)
    Delivery.objects.filter(publication__event=stuck).update(
        failing_since=NOON, retries=3, next_attempt_at=later(minutes=30)
    )

    before = run(webhook, at=later(minutes=4, seconds=59))
    after = run(webhook, at=later(minutes=5))

    assert (before, after) == (0, 2)
    assert receiver.sequences == [2, 3]


def test_a_lane_that_is_held_back_is_due_when_that_ends(receiver, happen, application, webhook):
    [stuck, *_] = happen(application, 2)
    Delivery.objects.filter(publication__event=stuck).update(
        failing_since=NOON, retries=3, next_attempt_at=later(minutes=30)
    )

    run(webhook)

    assert Lane.objects.get().due_at == later(minutes=5)


def test_a_lane_belongs_to_one_runner(receiver, happen, application, webhook):
    happen(application)

    claimed = [lanes.claim(webhook.pk, at=NOON) for _ in range(2)]

    assert [lane is not None for lane in claimed] == [True, False]


def test_a_webhook_gets_so_many_runners_and_no_more(
    receiver, happen, webhook, make_application, make_lead, settings
):
    settings.WEBHOOK_LANES = 3
    for _ in range(5):
        happen(make_application(make_lead(webhook.partner)))

    assert lanes.list_needing_workers(at=NOON) == [webhook.pk] * 3
    lanes.claim(webhook.pk, at=NOON)
    assert lanes.list_needing_workers(at=NOON) == [webhook.pk] * 2


def test_a_webhook_that_only_fails_gets_one(receiver, happen, webhook, make_application, make_lead):
    for _ in range(5):
        happen(make_application(make_lead(webhook.partner)))
    Webhook.objects.update(failing_since=later(minutes=-2))

    assert lanes.list_needing_workers(at=NOON) == [webhook.pk]


@pytest.fixture
def make_waiting(happen, make_webhook, make_application, make_lead):
    """Return a webhook for which so many leads have something to send."""

    def make_waiting(count, **values):
        webhook = make_webhook(**values)
        for _ in range(count):
            happen(make_application(make_lead(webhook.partner)))
        return webhook

    return make_waiting


def test_one_partner_has_half_of_the_threads(make_waiting, make_webhook, happen, settings):
    settings.CELERY_WORKER_CONCURRENCY = 16
    webhook = make_waiting(6)
    others = [make_webhook(webhook.partner) for _ in range(5)]
    for lead in webhook.partner.leads.all():
        happen(lead.applications.get())

    wanted = lanes.list_needing_workers(at=NOON)

    assert len(wanted) == 8
    assert len(set(wanted)) == 6
    claimed = [lanes.claim(pk, at=NOON) for pk in [*wanted, *(one.pk for one in others)]]
    assert sum(lane is not None for lane in claimed) == 8


def test_a_partner_has_a_quarter_of_the_threads_while_others_wait(
    make_waiting, make_webhook, happen, settings
):
    settings.CELERY_WORKER_CONCURRENCY = 16
    webhook = make_waiting(1)
    for _ in range(9):
        make_webhook(webhook.partner)
    happen(webhook.partner.leads.get().applications.get())
    others = [make_waiting(3) for _ in range(5)]

    wanted = lanes.list_needing_workers(at=NOON)

    assert {other.pk for other in others} <= set(wanted)


def test_a_webhook_that_answers_grows_to_half_of_the_threads(make_waiting, settings):
    settings.CELERY_WORKER_CONCURRENCY = 16
    webhook = make_waiting(12)

    assert lanes.list_needing_workers(at=NOON) == [webhook.pk] * 8


def test_a_webhook_that_hangs_takes_no_thread_of_a_healthy_one(
    make_waiting, make_webhook, happen, settings
):
    settings.CELERY_WORKER_CONCURRENCY = 16
    hanging = make_waiting(12)
    while lanes.claim(hanging.pk, at=NOON):
        pass
    healthy = make_webhook(hanging.partner)
    happen(hanging.partner.leads.first().applications.get())
    at = NOON + lanes.SLOW_AFTER

    wanted = lanes.list_needing_workers(at=at)

    assert wanted == [healthy.pk]
    assert lanes.claim(healthy.pk, at=at)
    assert lanes.claim(hanging.pk, at=at) is None


def test_slow_webhooks_of_a_partner_share_an_eighth_of_the_threads(
    make_waiting, make_webhook, happen, settings
):
    settings.CELERY_WORKER_CONCURRENCY = 16
    webhook = make_waiting(6)
    for _ in range(3):
        make_webhook(webhook.partner)
    for lead in webhook.partner.leads.all():
        happen(lead.applications.get())
    Webhook.objects.update(slow_since=NOON)

    wanted = lanes.list_needing_workers(at=NOON)

    assert len(wanted) == 2
    claimed = [lanes.claim(pk, at=NOON) for pk in [*wanted, *wanted]]
    assert [lane is not None for lane in claimed] == [True, True, False, False]


def test_slow_webhooks_of_all_partners_have_a_quarter_of_the_threads(make_waiting, settings):
    settings.CELERY_WORKER_CONCURRENCY = 8
    for _ in range(4):
        make_waiting(2)
    Webhook.objects.update(slow_since=NOON)

    assert len(lanes.list_needing_workers(at=NOON)) == 2


def test_the_webhook_that_has_waited_longest_comes_first(make_waiting, settings):
    settings.CELERY_WORKER_CONCURRENCY = 4
    webhooks = [make_waiting(1) for _ in range(4)]
    Lane.objects.filter(webhook=webhooks[-1]).update(due_at=later(minutes=-5))

    wanted = lanes.list_needing_workers(at=NOON)

    assert sorted(wanted) == [webhooks[0].pk, webhooks[1].pk, webhooks[-1].pk]


def test_all_webhooks_have_three_quarters_of_the_threads(make_waiting, settings):
    settings.CELERY_WORKER_CONCURRENCY = 8
    webhooks = [make_waiting(3) for _ in range(7)]

    wanted = lanes.list_needing_workers(at=NOON)

    assert sorted(wanted) == [webhook.pk for webhook in webhooks[:6]]


def test_a_second_runner_is_for_quiet_times(make_waiting, settings):
    settings.CELERY_WORKER_CONCURRENCY = 16
    webhooks = [make_waiting(4) for _ in range(3)]

    wanted = lanes.list_needing_workers(at=NOON)

    assert sorted(set(wanted)) == [webhook.pk for webhook in webhooks]
    assert len(wanted) == 8


def test_what_is_entered_while_a_lane_is_let_go_of_is_not_missed(
    in_threads, receiver, make_webhook, make_application, make_lead, make_event
):
    webhook = make_webhook()
    application = make_application(make_lead(webhook.partner))

    def write(_):
        for _ in range(10):
            make_event(application)
            publications.publish(at=NOON)

    def send(_):
        for _ in range(40):
            run(webhook)

    faults = in_threads(lambda act: act(0), [write, send, send])
    run(webhook)

    assert faults == [None, None, None]
    assert receiver.sequences == list(range(1, 11))


def test_the_lane_of_a_runner_that_died_is_taken_over(receiver, happen, application, webhook):
    happen(application)
    lanes.claim(webhook.pk, at=NOON)

    assert run(webhook, at=NOON + lanes.LEASE - timedelta(seconds=1)) == 0
    assert run(webhook, at=NOON + lanes.LEASE) == 1
