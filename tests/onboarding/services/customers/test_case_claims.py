"""Claims of customer cases: one person has a case at a time."""

import pytest

from onboarding.event_types import EventType
from onboarding.services.customers import case_claims, case_steps
from onboarding.services.reviews.assignments import NotReviewer
from onboarding.services.reviews.cases import ClaimedByAnother, NotClaimed
from tests.factories import NOON, later, make_user
from tests.onboarding.cases import HALF_AN_HOUR, make_reviewer
from tests.onboarding.customers import cases_of, make_review, reload, types_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def review(ada):
    return make_review(by=ada)


def test_one_person_has_a_case_for_half_an_hour(review, ada, bob):
    with pytest.raises(ClaimedByAnother):
        case_claims.claim(review, by=bob, at=later(minutes=29))
    case_claims.claim(review, by=bob, at=NOON + HALF_AN_HOUR)

    assert reload(review).claimed_by == bob
    with pytest.raises(NotClaimed):
        case_steps.decide(review, "NO_CHANGE", reason="Late.", by=ada, at=NOON + HALF_AN_HOUR)
    claims = [one for one in types_of(review.customer) if one == EventType.CUSTOMER_CASE_CLAIMED]
    assert len(claims) == 2


def test_a_case_is_released_and_reassigned(review, ada, bob):
    case_claims.release(review, by=ada, at=NOON)
    case_claims.reassign(review, to=bob, by=ada, at=NOON)

    assert reload(review).claimed_by == bob
    handed = [EventType.CUSTOMER_CASE_RELEASED, EventType.CUSTOMER_CASE_REASSIGNED]
    assert types_of(review.customer)[-2:] == handed
    with pytest.raises(NotClaimed):
        case_claims.release(review, by=ada, at=NOON)
    with pytest.raises(NotReviewer):
        case_claims.reassign(review, to=make_user(), by=ada, at=NOON)


def test_of_six_at_once_one_has_the_case(in_threads):
    review = make_review()
    users = [make_reviewer() for _ in range(6)]

    outcomes = in_threads(lambda user: case_claims.claim(reload(review), by=user, at=NOON), users)

    assert sum(isinstance(one, ClaimedByAnother) for one in outcomes) == 5, outcomes
    assert len(cases_of(review.customer)) == 1
