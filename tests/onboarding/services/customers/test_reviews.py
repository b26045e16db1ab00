"""Reviews of customers: what opens them, and when they are due."""

from datetime import UTC, date, datetime

import pytest

from onboarding.business_hours import HOURS_OF_A_DAY, add_business_hours
from onboarding.choices import CustomerCaseKind, CustomerStatus, HitStatus, ReviewCause, Role
from onboarding.event_types import EventType
from onboarding.models import Customer, CustomerCase, Lead, Owner
from onboarding.queries import audit
from onboarding.services.checks import hit_alerts
from onboarding.services.customers import case_claims, case_steps, reviews
from onboarding.services.reviews import hit_judgements
from tests.factories import NOON, later, make_owner
from tests.onboarding.cases import make_case
from tests.onboarding.customers import (
    cases_of,
    events_of,
    make_customer,
    make_review,
    types_of,
)
from tests.onboarding.hits import REASON, make_hit, seen

pytestmark = pytest.mark.django_db


def due(*, at):
    return [one.application_id for one in reviews.open_due(at=at)]


def test_a_periodic_review_opens_thirty_days_before_it_is_due():
    customer = make_customer()  # of low risk, so 36 months

    assert due(at=datetime(2029, 1, 30, 12, tzinfo=UTC)) == []
    assert due(at=datetime(2029, 1, 31, 12, tzinfo=UTC)) == [customer.external_id]

    [review] = cases_of(customer)
    assert (review.kind, review.opened_as) == (CustomerCaseKind.PERIODIC, Role.CLOCK)
    assert review.due_at == datetime(2029, 3, 2, 22, tzinfo=UTC)  # five in New York
    assert [one["cause"] for one in review.causes] == [ReviewCause.DUE]
    assert types_of(customer) == [EventType.CUSTOMER_CASE_OPENED]
    assert list(audit.find_faults()) == []


def test_an_open_review_is_opened_once():
    customer = make_customer()
    at = datetime(2029, 2, 10, 12, tzinfo=UTC)

    assert (len(due(at=at)), len(due(at=at))) == (1, 0)
    assert len(cases_of(customer)) == 1


def test_a_review_that_is_overdue_when_it_opens_leaves_ten_business_days():
    customer = make_customer()
    at = datetime(2029, 6, 1, 12, tzinfo=UTC)

    due(at=at)

    assert cases_of(customer)[0].due_at == add_business_hours(at, 10 * HOURS_OF_A_DAY)


def test_a_closed_customer_is_not_reviewed():
    customer = make_customer()
    Customer.objects.update(status=CustomerStatus.CLOSED, closed_at=NOON, review_due_on=None)

    assert due(at=later(days=2000)) == []
    assert (
        reviews.trigger(customer.application, ReviewCause.STAFF, by=reviews.CLOCK, at=NOON) is None
    )


@pytest.mark.parametrize("whose", ["applicant", "owner"])
def test_an_identity_document_that_expires_soon_opens_a_review_once(whose, ada):
    customer = make_customer()
    make_owner(customer.lead)
    {"applicant": Lead, "owner": Owner}[whose].objects.update(id_expiration_date=date(2026, 4, 20))

    assert due(at=datetime(2026, 3, 20, 12, tzinfo=UTC)) == []
    at = datetime(2026, 3, 21, 12, tzinfo=UTC)
    assert due(at=at) == [customer.external_id]
    [review] = cases_of(customer)
    assert [one["cause"] for one in review.causes] == [ReviewCause.IDENTITY_EXPIRES]
    review = case_claims.claim(review, by=ada, at=at)
    case_steps.decide(review, "NO_CHANGE", reason="Seen.", by=ada, at=at)
    assert due(at=datetime(2026, 4, 25, 12, tzinfo=UTC)) == []


def test_a_failure_is_logged_and_the_next_customer_follows(monkeypatch, caplog):
    first, second = make_customer(), make_customer()
    real = reviews.open_review

    def fail(customer, *args, **options):
        if customer.pk == first.pk:
            raise RuntimeError("no disk")
        return real(customer, *args, **options)

    monkeypatch.setattr(reviews, "open_review", fail)

    outcomes = list(reviews.open_due(at=later(days=2000)))

    assert [one.fault for one in outcomes] == ["RuntimeError", ""]
    assert str(first.external_id) in caplog.text
    assert len(cases_of(second)) == 1


def test_further_causes_join_the_open_review_and_bring_it_forward():
    customer = make_customer()
    review = make_review(customer)
    later_due = review.due_at

    reviews.trigger(customer.application, ReviewCause.NEW_HIT, by=reviews.CLOCK, at=NOON)
    reviews.trigger(customer.application, ReviewCause.NEW_HIT, by=reviews.CLOCK, at=NOON)

    [review] = cases_of(customer)
    assert [one["cause"] for one in review.causes] == [ReviewCause.DUE, ReviewCause.NEW_HIT]
    assert review.due_at == add_business_hours(NOON, HOURS_OF_A_DAY) < later_due
    assert types_of(customer) == [
        EventType.CUSTOMER_CASE_OPENED,
        EventType.CUSTOMER_CASE_CAUSED,
    ]


def test_a_new_hit_of_a_customer_opens_a_review_and_the_partner_learns_nothing():
    customer = make_customer()
    make_hit(customer.application)
    published = customer.lead.last_sequence

    hit_alerts.update_alert(customer.application, is_alert=True, at=NOON)

    [review] = cases_of(customer)
    assert (review.kind, review.opened_as) == (CustomerCaseKind.TRIGGERED, Role.CHECKS)
    assert review.due_at == add_business_hours(NOON, HOURS_OF_A_DAY)
    assert Lead.objects.get(pk=customer.lead_id).last_sequence == published
    assert events_of(customer)[0][1]["cause"] == ReviewCause.NEW_HIT


def test_a_confirmed_hit_opens_a_review(ada):
    customer = make_customer()
    hit = make_hit(customer.application)

    hit_judgements.judge(
        customer.application, HitStatus.CONFIRMED, hits=seen(hit), reason=REASON, by=ada, at=NOON
    )

    [review] = cases_of(customer)
    assert review.causes[0]["cause"] == ReviewCause.CONFIRMED_HIT


def test_a_hit_of_a_case_in_review_opens_none(ada):
    case = make_case()
    hit = make_hit(case)

    hit_judgements.judge(case, HitStatus.CONFIRMED, hits=seen(hit), reason=REASON, by=ada, at=NOON)

    assert not CustomerCase.objects.exists()
