"""Account opening: the business, account and sign-in of an approved application."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import ROUND_DOWN, Decimal
from typing import Any

from django.db import transaction
from django.db.models import TextChoices

from banking.choices import AddressKind, BusinessOwnerRole
from banking.models import Account, Business, BusinessAddress, BusinessOwner
from banking.services import account_opening
from banking.services.accounts import AccountInUse
from banking.us_states import STATES
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Lead, Owner
from onboarding.queries.applications import get_reading_language
from onboarding.queries.holdings import walk
from onboarding.queries.leads import LeadFile, open_lead_file
from onboarding.queries.requirements import list_missing_documents
from onboarding.queries.sign_ins import SignIn, get_user
from onboarding.services.applications import referrals
from onboarding.services.customers import records
from onboarding.services.events import history
from onboarding.services.events.history import Actor
from onboarding.services.mails import outbox
from onboarding.validators import WHOLE

CENT = Decimal("0.01")
PARTS = ("line1", "line2", "city", "state", "postal_code", "country")
LONGEST_REGION, LONGEST_NAMES = 100, 255


class Ending(TextChoices):
    """Outcome for the account when a temporary approval is denied."""

    NONE = "NONE", "There was none"
    CLOSED = "CLOSED", "Closed"
    IN_USE = "IN_USE", "Still open: it has a balance or pending transactions"


@transaction.atomic
def open_account(application: Application, *, by: Actor, at: datetime) -> Account:
    """Open the account of an approved application, unless it has one. The caller locks the lead.

    Each call sets the account's end date to the end of a temporary approval; None after a permanent
    approval. The applicant and the owners with a sign-in role get sign-ins, where no other user has
    the email; an INVITED event for each records the outcome.
    """
    account = Account.objects.filter(application=application).first()
    if account is None:
        account = _open(application, by, at)
    if account.end_date != application.expiration_date:
        account_opening.limit(account, until=application.expiration_date)
        account.end_date = application.expiration_date
    return account


@transaction.atomic
def end_account(application: Application, *, by: Actor, at: datetime) -> Ending:
    """Close all accounts of a denied application's business, or none. The caller locks the lead.

    If one has a balance or pending transactions, all stay open and the customer becomes LEAVING;
    otherwise each gets an ACCOUNT_CLOSED event, and the customer is closed. A NOTED event records
    the outcome, unless there was no account.
    """
    account = Account.objects.filter(application=application).first()
    if account is None:
        return Ending.NONE
    try:
        closed = account_opening.close(account, at=at)
    except AccountInUse:
        ending = Ending.IN_USE
        records.mark_leaving(application)
    else:
        ending = Ending.CLOSED
        for one in closed:
            details = {"account_number_masked": one.masked_number}
            history.record(application, EventType.ACCOUNT_CLOSED, by=by, at=at, **details)
        records.end_if_closed(application, by=by, at=at)
    history.record(application, EventType.NOTED, by=by, at=at, account=ending.value)
    return ending


def _open(application: Application, by: Actor, at: datetime) -> Account:
    file = open_lead_file(application)
    lead = file.lead
    owners = list(map_owners(file))
    account = account_opening.open_business(
        _business(lead, at),
        owners=owners,
        addresses=list(map_addresses(lead)),
        duns=lead.duns,
        at=at,
    )
    application.account = account
    application.save(update_fields=["account"])
    records.begin(application, at=at)
    history.record(application, EventType.ACCOUNT_OPENED, by=by, at=at, **_details(file, account))
    sign_in = SignIn.of(get_user(application))
    history.record(application, EventType.INVITED, by=by, at=at, sign_in=sign_in.value)
    invite_co_owners(file, owners, by, at)
    referrals.follow_opening(application, at=at)
    return account


def invite_co_owners(
    file: LeadFile, owners: Iterable[BusinessOwner], by: Actor, at: datetime
) -> None:
    """Invite those of `owners` who may sign in, except the applicant.

    Records an INVITED event for each, with the kind of sign-in. Queues a mail to each who has a
    user.
    """
    application = file.application
    ubo_ids = {person.email: person.ubo_id for person in file.people}
    for owner in owners:
        if owner.role == BusinessOwnerRole.PRIMARY_OWNER or not owner.may_sign_in:
            continue
        sign_in, ubo_id = SignIn.of(owner.user), str(ubo_ids[owner.email])
        event = history.record(
            application, EventType.INVITED, by=by, at=at, sign_in=sign_in.value, ubo_id=ubo_id
        )
        if owner.user:
            outbox.queue(
                MailKind.OWNER_INVITATION,
                application=application,
                user=owner.user,
                event=event,
                language=get_reading_language(application),
                at=at,
            )


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
    """Return an unsaved business with the values of the lead; other columns stay empty."""
    return Business(
        legal_name=lead.business_name,
        business_type=lead.business_type,
        incorporation_state=_first_state(lead.incorporation_state),
        incorporation_date=lead.incorporation_date,
        tax_state=_tax_state(lead),
        email=lead.email,
        phone_number=lead.phone_number,
        created_at=at,
    )


def _tax_state(lead: Lead) -> str:
    """Return the state of the business's or else the applicant's address; it decides the taxes.

    Empty if a state of incorporation is known, or no address is in a state.
    """
    if _first_state(lead.incorporation_state):
        return ""
    return _first_state(lead.business_address.get("state", ""), lead.state)


def _first_state(*named: str) -> str:
    """Return the first value that is a state's code, or an empty text."""
    return next((state for state in named if state in STATES), "")


def map_owners(file: LeadFile) -> Iterator[BusinessOwner]:
    """Yield the applicant and the other owners as unsaved rows, one for each email address.

    `ownership_percent` is the largest direct share under the address plus the shares held through
    trusts and companies, at most 100; None if no share is known. `held_through` names those
    holders.
    """
    shares: dict[str, Decimal | None] = {}
    people: dict[str, Lead | Owner] = {}
    for person in file.people:
        people.setdefault(person.email, person)
        known = [shares.get(person.email), person.ownership_percent]
        shares[person.email] = max((share for share in known if share is not None), default=None)
    for email, person in people.items():
        direct, stakes = shares[email], _stakes(file, email)
        share = sum((part for _name, part in stakes), start=direct or Decimal(0))
        is_known = direct is not None or bool(stakes)
        yield BusinessOwner(
            first_name=person.first_name,
            last_name=person.last_name,
            email=email,
            ownership_percent=min(share, WHOLE).quantize(CENT, ROUND_DOWN) if is_known else None,
            held_through=", ".join(name for name, _part in stakes)[:LONGEST_NAMES],
            role=BusinessOwnerRole.UBO if person.ubo_id else BusinessOwnerRole.PRIMARY_OWNER,
            sign_in_role=person.role if isinstance(person, Owner) else "",
        )


def _stakes(file: LeadFile, email: str) -> list[tuple[str, Decimal]]:
    """Return the trusts and companies that a person holds, with the person's part of the business.

    Units: percent.
    """
    return [
        (holding.holder.name, stake.of_business)
        for holding in walk(file.holdings)
        for stake in holding.stakes
        if stake.person.email == email
    ]


def map_addresses(lead: Lead) -> Iterator[BusinessAddress]:
    """Yield the lead's addresses as unsaved rows; empty addresses are left out.

    The business address gives two rows: the registered and the operational address.
    """
    known = {
        AddressKind.REGISTERED: lead.business_address,
        AddressKind.OPERATIONAL: lead.business_address,
        AddressKind.MAILING: lead.mailing_address,
    }
    for kind, address in known.items():
        if address:
            parts = {part: address[part] for part in PARTS if address.get(part)}
            if "state" in parts:
                parts["state"] = parts["state"][:LONGEST_REGION]
            yield BusinessAddress(kind=kind, **parts)
