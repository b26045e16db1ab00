"""Openings: an approved application becomes a customer of the bank."""

from collections.abc import Iterator
from datetime import datetime
from decimal import ROUND_DOWN, Decimal
from typing import Any

from django.db import transaction

from banking.choices import AddressKind, BusinessOwnerRole
from banking.models import Account, Business, BusinessAddress, BusinessOwner
from banking.services import openings
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import EventType
from onboarding.models import Application, Lead
from onboarding.models.people import Person
from onboarding.places import STATES
from onboarding.queries.leads import LeadFile, open_lead_file
from onboarding.queries.requirements import list_missing_documents
from onboarding.services import history
from onboarding.services.history import Actor

CENT = Decimal("0.01")
PARTS = ("line1", "line2", "city", "state", "postal_code", "country")
LONGEST_REGION = 100


@transaction.atomic
def open_account(application: Application, *, by: Actor, at: datetime) -> Account:
    """Open the account of an approved application, whose lead is locked; once, however often.

    Nobody can sign in for it yet: the applicant is not invited.
    """
    opened = Account.objects.filter(application=application).first()
    if opened:
        return opened
    file = open_lead_file(application)
    account = openings.open_business(
        _business(file.application.lead, at),
        owners=list(_owners(file)),
        addresses=list(_addresses(file.application.lead)),
        at=at,
    )
    application.account = account
    application.save(update_fields=["account"])
    history.record(application, EventType.ACCOUNT_OPENED, by=by, at=at, **_details(file, account))
    return account


def _details(file: LeadFile, account: Account) -> dict[str, Any]:
    application = file.application
    is_temporary = application.status == Status.APPROVED_TEMPORARY
    ends = application.expiration_date
    return {
        "account_number_masked": account.masked_number,
        "routing_number": account.routing_number,
        "is_temp": is_temporary,
        "expiration_date": ends.isoformat() if is_temporary and ends else None,
        "missing_documents": list_missing_documents(file.requirements) if is_temporary else [],
    }


def _business(lead: Lead, at: datetime) -> Business:
    """Return the business, unsaved; when it was founded was not asked, so it is as of now."""
    return Business(
        legal_name=lead.business_name,
        business_type=lead.business_type,
        incorporation_state=_home_state(lead),
        incorporation_date=at.date(),
        email=lead.email,
        phone_number=lead.phone_number,
        created_at=at,
    )


def _home_state(lead: Lead) -> str:
    """Return the state whose taxes the business pays; empty where it is in none."""
    named = [lead.incorporation_state, lead.business_address.get("state", ""), lead.state]
    return next((state for state in named if state in STATES), "")


def _owners(file: LeadFile) -> Iterator[BusinessOwner]:
    """Yield the applicant and the other owners; who is named twice is one, by the larger share."""
    lead = file.application.lead
    shares: dict[str, Decimal] = {}
    people: dict[str, Person] = {}
    named: list[Person] = [lead, *file.owners]
    for person in named:
        people.setdefault(person.email, person)
        share = person.ownership_percent or Decimal(0)
        shares[person.email] = max(share, shares.get(person.email, share))
    for email, person in people.items():
        yield BusinessOwner(
            first_name=person.first_name,
            last_name=person.last_name,
            email=email,
            ownership_percent=shares[email].quantize(CENT, ROUND_DOWN),
            role=BusinessOwnerRole.PRIMARY_OWNER if person is lead else BusinessOwnerRole.UBO,
        )


def _addresses(lead: Lead) -> Iterator[BusinessAddress]:
    known = {
        AddressKind.REGISTERED: lead.business_address,
        AddressKind.MAILING: lead.mailing_address,
    }
    for kind, address in known.items():
        if address:
            parts = {part: address[part] for part in PARTS if address.get(part)}
            if "state" in parts:
                parts["state"] = parts["state"][:LONGEST_REGION]
            yield BusinessAddress(kind=kind, **parts)
