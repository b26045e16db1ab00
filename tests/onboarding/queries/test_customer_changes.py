import pytest
from django.db import transaction

from onboarding.choices import Role
from onboarding.models import Customer, CustomerCase
from onboarding.queries import customer_changes
from onboarding.queries.customer_changes import ChangeNotFound
from onboarding.queries.leads import LeadNotFound
from onboarding.services.customers import changes, reviews
from onboarding.services.events.history import PARTNER
from tests.factories import (
    NOON,
    later,
    make_application,
    make_business,
    make_partner,
    make_user,
)
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


def test_a_business_without_an_application_is_no_customer():
    with pytest.raises(Customer.DoesNotExist):
        customer_changes.get_customer(make_business())


def test_the_changes_that_owners_asked_for_are_listed_without_those_of_others():
    customer = make_customer()
    asked = {"kind": "CHANGE", "opened_at": NOON, "due_at": NOON, "customer": customer}
    made = {role: CustomerCase.objects.create(opened_as=role, **asked) for role in Role}

    found = customer_changes.list_changes_by_owners(
        customer_changes.get_customer(customer.business)
    )

    assert set(found) == {made[Role.APPLICANT], made[Role.OWNER]}


@pytest.mark.parametrize(
    ("changed", "subjects"),
    [
        (["businessAddress", "mailingAddress"], ["Business address", "Mailing address"]),
        (["phoneNumber", "uboList"], ["Details of an owner"]),
        (["businessName", "uboList"], ["Legal name of the business", "Details of an owner"]),
    ],
)
def test_the_subjects_of_a_change_name_no_person(changed, subjects):
    found = customer_changes.list_subjects(CustomerCase(changed=changed))

    assert [str(one) for one in found] == subjects


def test_the_newest_decided_change_of_a_user_is_found_and_none_of_another(customer):
    user, other = make_user(), make_user(email="other@example.com")
    asked = {"kind": "CHANGE", "opened_as": "OWNER", "opened_at": NOON, "due_at": NOON}
    closed = {"status": "CLOSED", "outcome": "CHANGE_APPROVED", **asked, "customer": customer}
    first, second, _late = (
        CustomerCase.objects.create(opened_by=user, closed_at=later(minutes=minutes), **closed)
        for minutes in (1, 2, 9)
    )
    CustomerCase.objects.create(opened_by=other, closed_at=later(minutes=3), **closed)
    CustomerCase.objects.create(opened_by=user, customer=customer, **asked)

    def find(change_id=None):
        wanted = {"user": user, "change_id": change_id, "until": later(minutes=5)}
        return customer_changes.get_decided_change(customer.application, **wanted)

    assert find() == second
    assert find(str(first.external_id)) == first
