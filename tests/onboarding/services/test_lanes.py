"""Lanes; what is sent stops at `posting.post`, as in the tests of deliveries."""

from datetime import timedelta

from onboarding.models import Delivery, Lane, Webhook
from onboarding.services import lanes, publications
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

    assert lanes.list_short_handed(at=NOON) == [webhook.pk] * 3
    lanes.claim(webhook.pk, at=NOON)
    assert lanes.list_short_handed(at=NOON) == [webhook.pk] * 2


def test_a_webhook_that_only_fails_gets_one(receiver, happen, webhook, make_application, make_lead):
    for _ in range(5):
        happen(make_application(make_lead(webhook.partner)))
    Webhook.objects.update(failing_since=later(minutes=-2))

    assert lanes.list_short_handed(at=NOON) == [webhook.pk]


def test_those_that_only_fail_leave_half_of_the_threads(
    receiver, happen, make_webhook, make_application, make_lead, settings
):
    settings.CELERY_WORKER_CONCURRENCY = 4
    failing = [make_webhook(failing_since=later(minutes=-2)) for _ in range(3)]
    healthy = make_webhook()
    for webhook in (*failing, healthy):
        happen(make_application(make_lead(webhook.partner)))

    wanted = lanes.list_short_handed(at=NOON)

    assert wanted.count(healthy.pk) == 1
    assert len(wanted) == 3


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
