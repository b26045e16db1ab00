"""Changes that owners ask for: who may, what is saved, and how a request is withdrawn."""

import pytest

from banking.models import BusinessOwner
from onboarding.choices import CaseOutcome, ChangeStatus
from onboarding.errors import Invalid
from onboarding.event_types import EventType
from onboarding.models import Customer, CustomerCase, Lead, Owner
from onboarding.queries import audit
from onboarding.services.customers import case_claims, case_steps, owner_changes
from onboarding.services.customers.case_claims import CaseClosed
from onboarding.services.customers.changes import MAX_OPEN, ChangeLimitReached, ChangeTooEarly
from onboarding.services.customers.owner_changes import NoFullAccess
from tests.factories import NOON, later
from tests.onboarding.customers import cases_of, events_of, make_customer, owner_of, reload
from tests.onboarding.services.leads.test_submissions import ADDRESS

pytestmark = pytest.mark.django_db
MOVED = {"business_address": {**ADDRESS, "line1": "4 Compiler Avenue"}}
GRACE = {"email": "grace@example.com", "role": "PARTNER_FULL_ACCESS"}
ALAN = {"email": "alan@example.com", "role": "PARTNER", "ownership_percent": 0}


@pytest.fixture
def customer():
    return make_customer(owners=[GRACE, ALAN])


def ask(owner, details=MOVED, **values):
    return owner_changes.request_change(owner, details, language="es", at=NOON, **values)


def test_the_applicant_asks_for_a_change(customer):
    case = ask(owner_of(customer), text="We moved.")

    assert (case.opened_as, case.opened_by) == ("APPLICANT", owner_of(customer).user)
    assert (case.changed, case.language) == (["businessAddress"], "es")
    assert case.causes[0]["text"] == "We moved."
    assert reload(case).change_status is ChangeStatus.RECEIVED
    assert Lead.objects.get(pk=customer.lead_id).business_address == customer.lead.business_address


def test_another_owner_with_full_access_asks_as_an_owner(customer):
    grace = owner_of(customer, "grace@example.com")

    case = ask(grace)

    assert (case.opened_as, case.opened_by) == ("OWNER", grace.user)


@pytest.mark.django_db(transaction=True)
def test_an_approved_value_is_supplied_by_the_owner(ada, bob):
    customer = make_customer(owners=[GRACE])
    grace = owner_of(customer, "grace@example.com")
    case = ask(grace, {"owners": [{"email": grace.email, "phone_number": "+12025550188"}]})
    case_claims.claim(case, by=ada, at=NOON)

    case_steps.decide(case, "CHANGE_APPROVED", reason="Shown.", by=ada, at=NOON)
    case_steps.confirm(case, by=bob, at=later(minutes=5))

    stored = Owner.objects.get(email=grace.email)
    assert (stored.phone_number, stored.supplied_by["phone_number"]) == ("+12025550188", "OWNER")


def test_an_owner_without_full_access_is_refused(customer):
    with pytest.raises(NoFullAccess):
        ask(owner_of(customer, "alan@example.com"))
    assert not cases_of(customer)


def test_an_owner_whose_sign_in_has_ended_is_refused(customer):
    grace = owner_of(customer, "grace@example.com")
    BusinessOwner.objects.filter(pk=grace.pk).update(user=None)

    with pytest.raises(NoFullAccess):
        ask(grace)


def test_a_closed_customer_is_not_changed(customer):
    Customer.objects.update(status="CLOSED", closed_at=NOON, review_due_on=None)

    with pytest.raises(ChangeTooEarly):
        ask(owner_of(customer))


def test_the_owner_of_a_frozen_account_still_asks(customer):
    customer.business.accounts.update(frozen_at=NOON)

    assert ask(owner_of(customer)).change_status is ChangeStatus.RECEIVED


def test_an_owner_of_another_business_is_not_found(customer):
    grace = {"owners": [{"email": "grace@example.com", "first_name": "Eve"}]}
    other = make_customer(email="bob@example.com", ein="987654321")

    case = ask(owner_of(other), grace)  # an owner to add, if staff agree

    assert case.customer == other
    assert not cases_of(customer)


def test_the_same_request_twice_is_one(customer):
    first = ask(owner_of(customer))

    assert ask(owner_of(customer)) == first
    assert ask(owner_of(customer, "grace@example.com")) != first
    assert len(cases_of(customer)) == 2


def test_the_number_of_undecided_requests_has_a_limit(customer):
    for number in range(MAX_OPEN):
        ask(owner_of(customer), {"phone_number": f"+1202555010{number}"})

    with pytest.raises(ChangeLimitReached):
        ask(owner_of(customer))


def test_shares_of_more_than_all_are_refused(customer):
    with pytest.raises(Invalid):
        ask(owner_of(customer), {"ownership_percent": 61})


def test_a_request_is_withdrawn_and_recorded(customer):
    case = ask(owner_of(customer))

    owner_changes.withdraw(case, owner_of(customer), at=later(minutes=1))

    withdrawn = reload(case)
    assert (withdrawn.outcome, withdrawn.closed_at) == (CaseOutcome.WITHDRAWN, later(minutes=1))
    assert withdrawn.change_status is ChangeStatus.WITHDRAWN
    assert events_of(customer)[-1] == (
        EventType.CUSTOMER_CASE_CLOSED,
        {"case_id": str(case.external_id), "kind": "CHANGE", "outcome": "WITHDRAWN"},
    )
    assert list(audit.find_faults()) == []


def test_a_withdrawal_ends_the_proposal_of_staff(customer, ada):
    case = ask(owner_of(customer), {"business_name": "Harbor Bakery LLC"})
    case_claims.claim(case, by=ada, at=NOON)
    case_steps.decide(case, "CHANGE_APPROVED", reason="Shown.", by=ada, at=NOON)

    owner_changes.withdraw(case, owner_of(customer), at=NOON)

    withdrawn = reload(case)
    assert (withdrawn.status, withdrawn.decided_by, withdrawn.claimed_by) == ("CLOSED", None, None)


def test_a_decided_request_is_not_withdrawn(customer, ada):
    case = ask(owner_of(customer))
    case_claims.claim(case, by=ada, at=NOON)
    case_steps.decide(case, "CHANGE_APPROVED", reason="Shown.", by=ada, at=NOON)

    with pytest.raises(CaseClosed):
        owner_changes.withdraw(case, owner_of(customer), at=NOON)


def test_nobody_withdraws_the_request_of_another_owner(customer):
    case = ask(owner_of(customer))

    with pytest.raises(CustomerCase.DoesNotExist):
        owner_changes.withdraw(case, owner_of(customer, "grace@example.com"), at=NOON)
    with pytest.raises(NoFullAccess):
        owner_changes.withdraw(case, owner_of(customer, "alan@example.com"), at=NOON)


def test_of_more_requests_at_once_no_more_than_the_limit_are_saved(in_threads):
    customer = make_customer()
    numbers = range(MAX_OPEN + 1)

    answers = in_threads(
        lambda number: ask(owner_of(customer), {"phone_number": f"+1202555010{number}"}), numbers
    )

    assert [type(one) for one in answers].count(ChangeLimitReached) == 1
    assert len(cases_of(customer)) == MAX_OPEN


def test_two_equal_requests_at_once_are_one(in_threads):
    customer = make_customer()

    first, second = in_threads(lambda _: ask(owner_of(customer)), range(2))

    assert first == second
    assert len(cases_of(customer)) == 1
