"""Price changes: plans and payment rules, which two administrators change."""

from datetime import datetime

from banking.choices import FeedResult
from banking.models import PaymentRule, Plan
from banking.services import feed_changes, row_changes


def _announce_plan(plan: Plan, at: datetime) -> None:
    """Tell the bank's systems of a plan, and of the former default plan."""
    others = Plan.objects.filter(is_default=True).exclude(pk=plan.pk)
    former = others if plan.is_default else ()
    feed_changes.announce("plans", [plan, *former], FeedResult.UPDATED, at=at)


def _announce_payment_rule(rule: PaymentRule, at: datetime) -> None:
    feed_changes.announce("payment-rules", [rule], FeedResult.UPDATED, at=at)


PLAN = row_changes.register(Plan, before_change=_announce_plan)
PAYMENT_RULE = row_changes.register(PaymentRule, before_change=_announce_payment_rule)
