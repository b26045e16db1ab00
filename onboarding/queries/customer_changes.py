"""Reads of customers, and of the changes that were requested for them."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet
from django.utils.translation import gettext_lazy as _

from banking.models import Business, User
from foundation import external_ids
from onboarding.choices import CaseOutcome, ChangeDenialReason, CustomerCaseKind, Role
from onboarding.errors import ErrorCode, Refused
from onboarding.lazy_texts import StrOrPromise
from onboarding.lead_fields import LABELS
from onboarding.models import Application, Customer, CustomerCase, Lead, Owner, Partner
from onboarding.names import wire
from onboarding.queries.leads import get_current_application, lock_current_application

MAX_LISTED = 100  # changes
OF_BUSINESS: dict[str, StrOrPromise] = {
    "business_name": LABELS["business_name"],
    "business_address": _("Business address"),
    "mailing_address": _("Mailing address"),
}
DENIALS: dict[str, StrOrPromise] = {  # in the words for owners
    ChangeDenialReason.NOT_PROVEN.value: _(
        "The documents that we have do not show this change. Call us: we will tell you which ones "
        "we need."
    ),
    ChangeDenialReason.NOT_AUTHORIZED.value: _("Another person must ask for this change. Call us."),
    ChangeDenialReason.NOT_POSSIBLE.value: _("We cannot make this change. Call us."),
}
OF_OWNERS = _("Details of an owner")
BY_OWNERS = [Role.APPLICANT.value, Role.OWNER.value]


class ChangeNotFound(Refused):
    """No requested change of the lead has the id."""

    code = ErrorCode.CHANGE_NOT_FOUND


def lock_customer_of(*, partner: Partner, customer_id: str) -> tuple[Application, Customer | None]:
    """Return a lead's current application and its customer, None before an account is opened.

    The rows of the lead and of the application are locked, that of the customer is not.
    `customer_id` is the external id of the lead. Raises: LeadNotFound.
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


def get_customer(business: Business) -> Customer:
    """Return the customer that a business is, with its lead. Raises: Customer.DoesNotExist."""
    found = Customer.objects.select_related("lead", "application")
    customer = found.get(business=business.pk)
    customer.business, customer.application.lead = business, customer.lead
    return customer


def list_changes_by_owners(customer: Customer) -> QuerySet[CustomerCase]:
    """Return the changes that the applicant or another owner asked for, the newest first."""
    return CustomerCase.objects.filter(
        customer=customer, kind=CustomerCaseKind.CHANGE, opened_as__in=BY_OWNERS
    )


def read_details(case: CustomerCase) -> dict[str, Any]:
    """Return the values of a requested change, those of `owners` in a list, by Python names."""
    details: dict[str, Any] = json.loads(case.content)
    read = _read(Lead, details)
    read["owners"] = [_read(Owner, one) for one in details.get("owners") or []]
    return read


def list_subjects(case: CustomerCase) -> list[StrOrPromise]:
    """Return labels of what a requested change is about, which name no person and no value."""
    of_business = {wire(name): text for name, text in OF_BUSINESS.items()}
    found = [text for name, text in of_business.items() if name in case.changed]
    return [*found, *([] if of_business.keys() >= {*case.changed} else [OF_OWNERS])]


def get_decided_change(
    application: Application, *, user: User, change_id: str | None, until: datetime
) -> CustomerCase | None:
    """Return the change with an id that a user asked for, or without id the last decided one.

    Only changes count that were approved or denied by `until`; None if there is none.
    """
    decided = CustomerCase.objects.filter(
        customer__application=application,
        kind=CustomerCaseKind.CHANGE,
        opened_by=user,
        outcome__in=[CaseOutcome.CHANGE_APPROVED, CaseOutcome.CHANGE_DENIED],
        closed_at__lte=until,
    )
    if change_id is not None:
        decided = decided.filter(external_id=change_id)
    return decided.defer("content").order_by("-closed_at", "-pk").first()


def _read(model: type[Model], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as the columns of a model hold them."""
    columns = {column.name: column for column in model._meta.concrete_fields}
    return {
        name: columns[name].to_python(value) if name in columns and value is not None else value
        for name, value in values.items()
    }
