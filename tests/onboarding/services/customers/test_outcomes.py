"""Outcomes: what each changes of the customer."""

from datetime import date

import pytest

from onboarding.choices import CaseOutcome, CustomerStatus, Risk
from onboarding.services.customers import outcomes
from onboarding.services.customers.reviews import lock_customer
from tests.factories import NOON
from tests.onboarding.customers import REVIEWER, make_customer, make_review, reload, types_of

pytestmark = pytest.mark.django_db


def end(outcome, **values):
    """Carry out an outcome for a customer and return the customer."""
    review = make_review(make_customer(risk=Risk.MEDIUM))
    review.customer = lock_customer(review.customer)
    review.outcome = outcome
    for name, value in values.items():
        setattr(review, name, value)
    outcomes.carry_out(review, by=REVIEWER, at=NOON)
    return reload(review.customer)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (CaseOutcome.NO_CHANGE, CustomerStatus.ACTIVE),
        (CaseOutcome.RESTRICTED, CustomerStatus.RESTRICTED),
        (CaseOutcome.RESTRICTION_LIFTED, CustomerStatus.ACTIVE),
        (CaseOutcome.EXIT, CustomerStatus.LEAVING),
    ],
)
def test_the_status_follows_from_the_outcome(outcome, status):
    customer = end(outcome)

    assert (customer.status, customer.risk) == (status, Risk.MEDIUM)
    assert customer.review_due_on == date(2028, 3, 2)
    assert (customer.restricted_at == NOON) == (outcome is CaseOutcome.RESTRICTED)


def test_another_risk_plans_the_next_review_anew():
    customer = end(CaseOutcome.RISK_CHANGED, new_risk=Risk.HIGH)

    assert (customer.risk, customer.review_due_on) == (Risk.HIGH, date(2027, 3, 2))


def test_a_restriction_is_published_only_with_the_tick():
    assert "customer.restricted" not in types_of(end(CaseOutcome.RESTRICTED))
    told = end(CaseOutcome.RESTRICTED, is_for_partner=True)
    assert types_of(told)[-1] == "customer.restricted"
