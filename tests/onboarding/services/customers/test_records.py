"""Records of customers: from the opening of the account to the end of the last one."""

from datetime import date

import pytest

from banking.models import Account
from banking.services import account_opening as banking_openings
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CustomerStatus, DenialReason, Risk
from onboarding.event_types import EventType
from onboarding.models import Application, Customer
from onboarding.queries import audit
from onboarding.services.customers import records
from onboarding.services.reviews import decisions
from tests.factories import NOON, later, make_transaction
from tests.onboarding.cases import load, make_case
from tests.onboarding.customers import (
    REVIEWER,
    cases_of,
    make_customer,
    make_review,
    reload,
    types_of,
)

pytestmark = pytest.mark.django_db


def test_an_approval_makes_a_customer_with_the_risk_and_the_day_of_the_first_review():
    case = make_case()
    Application.objects.update(risk=Risk.HIGH)

    decisions.approve(load(case), by=REVIEWER, at=NOON)

    customer = Customer.objects.get()
    assert (customer.lead, customer.application) == (case.lead, case)
    assert customer.business == Account.objects.of_customers().first().business
    assert (customer.status, customer.risk) == (CustomerStatus.ACTIVE, Risk.HIGH)
    assert (customer.since, customer.review_due_on) == (NOON, date(2027, 3, 2))


def test_a_customer_that_nothing_has_rated_counts_as_medium():
    assert make_customer(risk="").risk == Risk.MEDIUM


@pytest.mark.parametrize(
    ("risk", "since", "due"),
    [
        (Risk.HIGH, date(2028, 2, 29), date(2029, 2, 28)),
        (Risk.MEDIUM, date(2026, 12, 31), date(2028, 12, 31)),
        (Risk.LOW, date(2026, 3, 2), date(2029, 3, 2)),
    ],
)
def test_the_next_review_follows_from_the_risk(risk, since, due):
    assert records.next_review(risk, since=since) == due


def test_the_interval_is_a_setting(settings):
    settings.REVIEW_MONTHS = {"HIGH": 6, "MEDIUM": 24, "LOW": 36}

    assert records.next_review(Risk.HIGH, since=date(2026, 8, 31)) == date(2027, 2, 28)


def test_the_denial_of_a_temporary_approval_closes_the_customer_and_tells_the_partner():
    case = make_case()
    decisions.approve_temporarily(load(case), by=REVIEWER, at=NOON)
    customer = Customer.objects.get()
    review = make_review(customer)

    reasons = [DenialReason.DOCUMENTS_OVERDUE]
    decisions.deny(load(case), reasons=reasons, by=REVIEWER, at=later(days=1))

    closed = reload(customer)
    assert (closed.status, closed.closed_at) == (CustomerStatus.CLOSED, later(days=1))
    assert closed.review_due_on is None
    assert reload(review).outcome == "CUSTOMER_CLOSED"
    assert types_of(customer)[-1] == EventType.CUSTOMER_CLOSED
    assert list(audit.find_faults()) == []


def test_a_denied_customer_whose_account_is_in_use_is_to_be_closed():
    case = make_case()
    decisions.approve_temporarily(load(case), by=REVIEWER, at=NOON)
    account = load(case).account
    make_transaction(account, 500)

    reasons = [DenialReason.DOCUMENTS_OVERDUE]
    decisions.deny(load(case), reasons=reasons, by=REVIEWER, at=later(days=1))

    assert Customer.objects.get().status == CustomerStatus.LEAVING


def test_a_customer_with_an_open_account_stays():
    customer = make_customer()

    assert not records.end_if_closed(customer.application, by=REVIEWER, at=NOON)
    assert reload(customer).status == CustomerStatus.ACTIVE


def test_a_customer_ends_once():
    customer = make_customer()
    banking_openings.close(customer.application.account, at=NOON)

    assert records.end_if_closed(customer.application, by=REVIEWER, at=NOON)
    assert not records.end_if_closed(customer.application, by=REVIEWER, at=NOON)
    assert types_of(customer) == [EventType.CUSTOMER_CLOSED]
    assert cases_of(customer) == []


def test_an_application_without_an_account_is_no_customer():
    case = make_case(Status.DENIED)

    assert not records.end_if_closed(case, by=REVIEWER, at=NOON)
