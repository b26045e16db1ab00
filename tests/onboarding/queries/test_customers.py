import pytest

from onboarding.models import CustomerCase
from onboarding.queries.customers import CaseQueue, in_queue, search_customers
from onboarding.services.customers import case_steps
from tests.factories import NOON, later
from tests.onboarding.cases import STEPS, make_reviewer
from tests.onboarding.customers import make_customer, make_review

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_reviewer(*STEPS)


@pytest.fixture
def bob():
    return make_reviewer(*STEPS)


def test_each_queue_has_its_cases(ada, bob):
    free, mine, proposed = make_review(), make_review(by=ada), make_review(by=bob)
    case_steps.decide(proposed, "EXIT", reason="They left.", by=bob, at=NOON)
    closed = make_review(by=ada)
    case_steps.decide(closed, "NO_CHANGE", reason="Fine.", by=ada, at=NOON)

    def found(queue, at=NOON):
        return {case.pk for case in in_queue(queue, user=ada, at=at)}

    assert found(CaseQueue.OPEN) == {free.pk, mine.pk, proposed.pk}
    assert found(CaseQueue.UNASSIGNED) == {free.pk}
    assert found(CaseQueue.MINE) == {mine.pk}
    assert found(CaseQueue.SECOND_PERSON) == {proposed.pk}
    assert found(CaseQueue.OVERDUE) == set()
    overdue = CustomerCase.objects.filter(pk=free.pk)
    overdue.update(due_at=later(days=1))
    assert found(CaseQueue.OVERDUE, at=later(days=2)) == {free.pk}


def test_a_customer_is_found_by_the_words_of_lead_and_business():
    customer = make_customer(business_name="Harbor Bakery LLC")
    make_customer(business_name="Mill Company")

    assert search_customers("bakery harbor") == [customer.pk]
    assert search_customers(customer.lead.email) == [customer.pk]
    assert search_customers("nobody@example.com") == []
