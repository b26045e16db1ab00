import pytest
from django.db import transaction

from onboarding.queries import customer_changes
from onboarding.queries.customer_changes import ChangeNotFound
from onboarding.queries.leads import LeadNotFound
from onboarding.services.customers import changes, reviews
from onboarding.services.events.history import PARTNER
from tests.factories import NOON, make_application, make_partner
from tests.onboarding.customers import make_customer, make_review

pytestmark = pytest.mark.django_db


@pytest.fixture
def customer():
    return make_customer()


def named(customer, **values):
    return {
        "partner": customer.lead.partner,
        "customer_id": str(customer.lead.external_id),
        **values,
    }


def test_a_partner_reads_changes_and_no_reviews(customer, django_assert_num_queries):
    review = make_review(customer)
    locked = reviews.lock_customer(customer)
    change = changes.request_change(locked, {"phone_number": "+12025550188"}, by=PARTNER, at=NOON)

    mine = named(customer)
    with django_assert_num_queries(2):
        found = list(customer_changes.list_changes(**mine))

    assert found == [change]
    one = customer_changes.get_change(**named(customer), change_id=str(change.external_id))
    assert one == change
    for other in (str(review.external_id), "none", "f" * 200):
        with pytest.raises(ChangeNotFound):
            customer_changes.get_change(**named(customer), change_id=other)


def test_another_partner_finds_nothing(customer):
    with pytest.raises(LeadNotFound):
        customer_changes.list_changes(**named(customer, partner=make_partner()))


def test_a_lead_without_an_account_is_no_customer():
    application = make_application()
    with transaction.atomic():
        found = customer_changes.lock_customer_of(
            partner=application.lead.partner, customer_id=str(application.lead.external_id)
        )

    assert found == (application, None)
