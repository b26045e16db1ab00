"""What partners ask and report; the operations of the API test the rest."""

import pytest

from onboarding.choices import CustomerCaseKind, Role
from onboarding.models import Customer, CustomerCase
from onboarding.queries.leads import LeadNotFound
from onboarding.services.customers import partner_changes
from onboarding.services.customers.changes import ChangeTooEarly
from onboarding.services.documents.file_store import file_transaction
from tests.factories import NOON, later, make_partner
from tests.onboarding.customers import cases_of, make_customer

pytestmark = pytest.mark.django_db


@pytest.fixture
def customer():
    return make_customer()


def ask(customer, partner=None):
    with file_transaction() as store:
        return partner_changes.request_change(
            partner=partner or customer.lead.partner,
            customer_id=str(customer.lead.external_id),
            details={"phone_number": "+12025550188", "reason": None},
            store=store,
            at=NOON,
        )


def test_a_request_is_the_partners(customer):
    case = ask(customer)

    assert (case.kind, case.opened_as) == (CustomerCaseKind.CHANGE, Role.PARTNER)
    assert case.causes[0]["text"] == ""


def test_another_partner_finds_nothing(customer):
    with pytest.raises(LeadNotFound):
        ask(customer, make_partner())


def test_a_closed_customer_is_neither_changed_nor_reported(customer):
    Customer.objects.update(status="CLOSED", closed_at=NOON, review_due_on=None)
    named = {"partner": customer.lead.partner, "customer_id": str(customer.lead.external_id)}

    with pytest.raises(ChangeTooEarly):
        ask(customer)
    with pytest.raises(ChangeTooEarly):
        partner_changes.report(**named, text="Closed shop.", at=NOON)
    assert not cases_of(customer)


def test_reports_about_a_customer_have_a_limit_in_a_day(customer):
    def report(at):
        return partner_changes.report(
            partner=customer.lead.partner,
            customer_id=str(customer.lead.external_id),
            text="Looks odd.",
            at=at,
        )

    for minutes in range(partner_changes.MAX_REPORTS):
        report(later(minutes=minutes))

    with pytest.raises(partner_changes.TooManyReports):
        report(later(hours=1))
    CustomerCase.objects.update(status="CLOSED", outcome="NO_CHANGE", closed_at=later(hours=2))
    with pytest.raises(partner_changes.TooManyReports):
        report(later(hours=3))
    report(later(hours=25))

    assert len(cases_of(customer)) == 2
