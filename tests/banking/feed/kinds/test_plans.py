"""Plans of the feed with their benefits, and subscriptions."""

from uuid import uuid4

import orjson

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import Plan, PlanBenefit, Subscription
from tests.banking.feed.test_batches import codes, results

PLAN = {
    "code": "GROW",
    "name": "Grow",
    "priceCents": 1200,
    "isDefault": True,
    "benefits": [{"code": "CHECKING", "name": "Checking"}, {"code": "BUCKET", "name": "Taxes"}],
}
ON = {
    "business": "B-1",
    "plan": "P-1",
    "status": "ACTIVE",
    "startedDate": "2026-01-02",
    "renewalDate": "2026-04-01",
}


def test_a_plan_is_sent_with_its_benefits_and_read_back(feed, line):
    assert results(feed(line("plans", "P-1", **PLAN))) == ["created"]

    stored = reading.find_record(KINDS["plans"], "P-1")
    assert orjson.loads(stored.data) == PLAN


def test_the_benefits_are_replaced_whole(feed, line):
    feed(line("plans", "P-1", **PLAN))

    feed(line("plans", "P-1", 2, **PLAN | {"benefits": [{"code": "NEW", "name": "New"}]}))

    assert [benefit.code for benefit in PlanBenefit.objects.all()] == ["NEW"]


def test_the_newest_default_plan_takes_the_place_of_the_former_one(feed, line):
    start = PLAN | {"code": "START", "name": "Start"}
    pro = PLAN | {"code": "PRO", "name": "Pro"}

    feed(line("plans", "P-1", **PLAN), line("plans", "P-2", **start))
    assert Plan.objects.get(is_default=True).code == "START"

    newest = line("plans", "P-1", 2, **PLAN | {"name": "Grow more"})
    assert results(feed(line("plans", "P-3", **pro), newest)) == ["created", "updated"]

    assert Plan.objects.get(is_default=True).code == "GROW"


def test_the_default_plan_stays_if_the_line_of_another_one_is_refused(feed, line):
    start = PLAN | {"code": "START", "name": "Start"}
    feed(line("plans", "P-1", **PLAN))

    with_id = line("plans", "P-2", **start) | {"id": str(uuid4())}
    (outcome,) = feed(with_id)

    assert codes(outcome) == [("VALUE_REFUSED", "/id")]
    assert Plan.objects.get(is_default=True).code == "GROW"


def test_a_plan_that_was_made_here_becomes_the_record(feed, line, db):
    plan = Plan.objects.create(code="GROW", name="Old", price_cents=1)

    assert results(feed(line("plans", "P-1", **PLAN))) == ["updated"]

    plan.refresh_from_db()
    assert (plan.name, plan.benefits.count()) == ("Grow", 2)


def test_a_plan_with_subscribers_stays(feed, line, refusals, business):
    feed(business, line("plans", "P-1", **PLAN), line("subscriptions", "S-1", **ON))
    gone = {"externalId": "P-1", "version": 2, "removed": True, "kind": "plans"}

    assert refusals(gone) == [("NOT_REMOVABLE", None)]
    assert PlanBenefit.objects.count() == 2

    left = {"externalId": "S-1", "version": 2, "removed": True, "kind": "subscriptions"}
    assert results(feed(left, gone)) == ["removed", "removed"]
    assert not Plan.objects.exists()


def test_a_subscription_renews_unless_canceled(feed, line, refusals, business):
    feed(business, line("plans", "P-1", **PLAN), line("subscriptions", "S-1", **ON))

    canceled = ON | {"status": "CANCELED"}
    assert refusals(line("subscriptions", "S-1", 2, **canceled)) == [
        ("VALUE_REFUSED", "/data/renewalDate")
    ]
    canceled["renewalDate"] = None
    assert results(feed(line("subscriptions", "S-1", 2, **canceled))) == ["updated"]
    assert Subscription.objects.get().status == "CANCELED"
