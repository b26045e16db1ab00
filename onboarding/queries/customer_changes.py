"""Reads of a partner's customers and of the changes that were requested for them."""

from uuid import UUID

from django.db.models import QuerySet

from foundation import external_ids
from onboarding.choices import CustomerCaseKind
from onboarding.errors import ErrorCode, Refused
from onboarding.models import Application, Customer, CustomerCase, Partner
from onboarding.queries.leads import get_current_application, lock_current_application

MAX_LISTED = 100  # changes


class ChangeNotFound(Refused):
    """No requested change of the lead has the id."""

    code = ErrorCode.CHANGE_NOT_FOUND


def lock_customer_of(*, partner: Partner, customer_id: str) -> tuple[Application, Customer | None]:
    """Return the current application of the partner's lead, locked, and the customer it became.

    Raises: LeadNotFound.
    """
    application = lock_current_application(partner=partner, customer_id=customer_id)
    customer = Customer.objects.filter(application=application).select_related("business").first()
    if customer is not None:
        customer.application, customer.lead = application, application.lead
    return application, customer


def list_changes(*, partner: Partner, customer_id: str) -> QuerySet[CustomerCase]:
    """Return the changes that were requested for a lead, the newest first. Raises: LeadNotFound."""
    application = get_current_application(partner=partner, customer_id=customer_id)
    return _changes_of(application)


def list_newest_changes(application: Application) -> list[CustomerCase]:
    """Return the newest MAX_LISTED changes that were requested for the lead of an application.

    Empty, without a statement, before the application has an account.
    """
    return list(_changes_of(application)[:MAX_LISTED]) if application.account_id else []


def _changes_of(application: Application) -> QuerySet[CustomerCase]:
    found = CustomerCase.objects.filter(
        customer__lead=application.lead_id, kind=CustomerCaseKind.CHANGE
    )
    return found.select_related("customer__lead").defer(
        "content",
        *(f"customer__lead__{name}" for name in ("ssn", "ein", "passport_number", "id_gov_number")),
    )


def get_change(*, partner: Partner, customer_id: str, change_id: str) -> CustomerCase:
    """Return a requested change of a lead. Raises: LeadNotFound, ChangeNotFound."""
    wanted: UUID = external_ids.parse(change_id)
    found = list_changes(partner=partner, customer_id=customer_id).filter(external_id=wanted)
    change = found.first()
    if change is None:
        raise ChangeNotFound
    return change
