"""Steps of staff in customer cases: one person has a case, and grave outcomes need two."""

from datetime import date

import pytest
from django.db import IntegrityError, transaction

from onboarding.choices import CaseOutcome, CustomerCaseStatus, CustomerStatus, ReviewCause, Risk
from onboarding.event_types import PUBLISHED, EventType
from onboarding.models import CheckRun, Customer, CustomerCase, Lead
from onboarding.queries import audit
from onboarding.services.customers import case_claims, case_steps
from onboarding.services.customers.case_claims import CaseClosed
from onboarding.services.customers.case_steps import PartnerMustNotLearn
from onboarding.services.reviews.cases import Incomplete
from onboarding.services.reviews.proposals import (
    NotOwnProposal,
    OwnProposal,
    ProposalSettled,
    ProposalVoid,
)
from tests.factories import NOON, later
from tests.onboarding.customers import (
    events_of,
    make_customer,
    make_review,
    reload,
    types_of,
)
from tests.onboarding.hits import make_hit

pytestmark = pytest.mark.django_db


@pytest.fixture
def review(ada):
    return make_review(by=ada)


@pytest.fixture
def risky(ada):
    return make_review(make_customer(risk=Risk.HIGH), by=ada)


def decide(review, outcome, *, by, at=NOON, **said):
    said = {"reason": "Everything is as it was.", **said}
    return case_steps.decide(review, outcome, by=by, at=at, **said)


def test_no_change_closes_a_review_and_sets_the_next_one(review, ada):
    decide(review, "NO_CHANGE", by=ada, at=later(minutes=5))

    closed = reload(review)
    assert (closed.status, closed.closed_at) == (CustomerCaseStatus.CLOSED, later(minutes=5))
    assert (closed.decided_by, closed.confirmed_by, closed.claimed_by) == (ada, None, None)
    assert reload(review.customer).review_due_on == date(2029, 3, 2)
    details = {
        "case_id": str(review.external_id),
        "kind": "PERIODIC",
        "outcome": "NO_CHANGE",
        "risk": "LOW",
    }
    assert events_of(review.customer)[-1] == (EventType.CUSTOMER_CASE_CLOSED, details)
    assert list(audit.find_faults()) == []
    with pytest.raises(CaseClosed):
        case_claims.claim(review, by=ada, at=NOON)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("NO_CHANGE", {"reason": "  "}),
        ("RISK_CHANGED", {}),
        ("RISK_CHANGED", {"new_risk": "LOW"}),
        ("RESTRICTION_LIFTED", {}),
        ("CHANGE_APPROVED", {}),
    ],
)
def test_what_a_review_lacks_is_refused(review, ada, outcome, said):
    with pytest.raises(Incomplete):
        decide(review, outcome, by=ada, **said)

    assert reload(review).status == CustomerCaseStatus.OPEN


def test_a_medium_risk_is_set_by_one_person(review, ada):
    decide(review, "RISK_CHANGED", new_risk="MEDIUM", by=ada)

    customer = reload(review.customer)
    assert (customer.risk, customer.review_due_on) == (Risk.MEDIUM, date(2028, 3, 2))


@pytest.mark.parametrize(
    ("outcome", "said"), [("EXIT", {}), ("RISK_CHANGED", {"new_risk": "HIGH"})]
)
def test_a_grave_outcome_is_proposed(review, ada, outcome, said):
    decided = decide(review, outcome, by=ada, **said)

    assert decided.status == reload(review).status == CustomerCaseStatus.PROPOSED
    assert reload(review.customer).status == CustomerStatus.ACTIVE
    assert types_of(review.customer)[-1] == EventType.CUSTOMER_CASE_PROPOSED
    with pytest.raises(ProposalSettled):
        decide(review, "NO_CHANGE", by=ada)


def test_a_customer_of_high_risk_takes_two_people_for_any_outcome(risky, ada, bob):
    decide(risky, "NO_CHANGE", by=ada)

    with pytest.raises(OwnProposal):
        case_steps.confirm(risky, by=ada, at=NOON)
    assert reload(risky).status == CustomerCaseStatus.PROPOSED


def test_a_review_with_hits_that_are_not_cleared_takes_two_people(review, ada):
    make_hit(review.customer.application)

    decided = decide(review, "NO_CHANGE", by=ada)

    assert decided.status == reload(review).status == CustomerCaseStatus.PROPOSED
    assert case_steps.second_person_reasons(decided, CaseOutcome.NO_CHANGE) == [
        "The customer has screening hits that are not cleared."
    ]


@pytest.mark.django_db(transaction=True)
def test_a_second_person_confirms_the_end_of_the_relationship(review, ada, bob):
    decide(review, "EXIT", reason="It sells what we do not serve.", by=ada)

    case_steps.confirm(review, by=bob, at=later(hours=1))

    closed = reload(review)
    assert (closed.status, closed.confirmed_by) == (CustomerCaseStatus.CLOSED, bob)
    assert reload(review.customer).status == CustomerStatus.LEAVING
    event_type, details = events_of(review.customer)[-1]
    assert (event_type, details["proposed_by"]) == ("customer_case.closed", str(ada.external_id))
    assert list(audit.find_faults()) == []


@pytest.mark.django_db(transaction=True)
def test_changed_evidence_ends_a_proposal(review, ada, bob):
    decide(review, "EXIT", by=ada)
    Lead.objects.update(business_name="Another LLC")

    with pytest.raises(ProposalVoid):
        case_steps.confirm(review, by=bob, at=NOON)

    voided = reload(review)
    assert (voided.status, voided.outcome, voided.decided_by) == ("OPEN", "", None)
    event_type, details = events_of(review.customer)[-1]
    assert (event_type, details["how"]) == (EventType.CUSTOMER_CASE_PROPOSAL_ENDED, "voided")


def test_a_proposal_is_refused_by_another_and_withdrawn_by_oneself(review, ada, bob):
    decide(review, "EXIT", by=ada)
    with pytest.raises(NotOwnProposal):
        case_steps.withdraw(review, by=bob, at=NOON)
    with pytest.raises(OwnProposal):
        case_steps.refuse(review, note="No.", by=ada, at=NOON)
    with pytest.raises(Incomplete):
        case_steps.refuse(review, note=" ", by=bob, at=NOON)

    case_steps.refuse(review, note="Ask the partner first.", by=bob, at=NOON)
    assert reload(review).status == CustomerCaseStatus.OPEN
    decide(review, "EXIT", by=ada)
    case_steps.withdraw(review, by=ada, at=NOON)

    assert reload(review).status == CustomerCaseStatus.OPEN
    ends = [details["how"] for _, details in events_of(review.customer) if "how" in details]
    assert ends == ["refused", "withdrawn"]


def test_a_restriction_is_told_to_the_partner_only_if_staff_say_so(review, ada):
    decide(review, "RESTRICTED", by=ada)

    customer = reload(review.customer)
    assert (customer.status, customer.restricted_at) == (CustomerStatus.RESTRICTED, NOON)
    assert not {*types_of(review.customer)} & {one.value for one in PUBLISHED}


def test_a_restriction_that_is_told_names_no_reason(review, ada):
    decide(review, "RESTRICTED", is_for_partner=True, by=ada)

    assert events_of(review.customer)[-1] == (EventType.CUSTOMER_RESTRICTED, {})


def test_with_an_open_hit_the_partner_is_not_told(review, ada):
    make_hit(review.customer.application)

    with pytest.raises(PartnerMustNotLearn):
        decide(review, "RESTRICTED", is_for_partner=True, by=ada)

    decide(review, "RESTRICTED", by=ada)
    assert reload(review.customer).status == CustomerStatus.RESTRICTED


@pytest.mark.django_db(transaction=True)
def test_two_people_lift_a_restriction(ada, bob):
    customer = make_customer()
    Customer.objects.update(status=CustomerStatus.RESTRICTED, restricted_at=NOON)
    review = make_review(customer, cause=ReviewCause.STAFF, by=ada)

    decide(review, "RESTRICTION_LIFTED", by=ada)
    case_steps.confirm(review, by=bob, at=NOON)

    lifted = reload(customer)
    assert (lifted.status, lifted.restricted_at) == (CustomerStatus.ACTIVE, None)


def test_the_checks_of_a_customer_run_again(review, ada):
    case_steps.rerun_checks(review, by=ada, at=NOON)

    assert CheckRun.objects.get().application == review.customer.application


def test_the_database_refuses_one_person_for_two(review, ada):
    decide(review, "EXIT", by=ada)

    for values in [{"confirmed_by": ada}, {"status": "CLOSED", "closed_at": NOON}]:
        with pytest.raises(IntegrityError), transaction.atomic():
            CustomerCase.objects.update(**values)


def test_the_database_refuses_a_second_open_review(review):
    with pytest.raises(IntegrityError, match=r"customercase_one_open_review|customer_id"):
        CustomerCase.objects.create(
            customer=review.customer,
            kind="TRIGGERED",
            opened_as="CLOCK",
            opened_at=NOON,
            due_at=NOON,
        )
