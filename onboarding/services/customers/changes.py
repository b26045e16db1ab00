"""Changes of customers' data: requested by partners, owners or staff, decided and applied.

A requested change is a customer case, which the bank approves or denies.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction

from banking.choices import AddressKind
from banking.models import BusinessOwner, User
from banking.services import business_changes
from onboarding.business_hours import HOURS_OF_A_DAY, add_business_hours
from onboarding.choices import CustomerCaseKind, ReviewCause, Role, RunCause, Supplier
from onboarding.errors import ErrorCode, Fault, Invalid, Refused
from onboarding.event_types import EventType, MailKind
from onboarding.models import Customer, CustomerCase, Event, Lead, Owner
from onboarding.models.customers import OPEN
from onboarding.models.leads import ADDRESS
from onboarding.names import wire
from onboarding.queries.applications import get_reading_language
from onboarding.queries.customer_changes import BY_OWNERS, read_details
from onboarding.queries.leads import list_owners, open_lead_file
from onboarding.services import routing
from onboarding.services.applications import account_opening
from onboarding.services.checks.check_runs import run_checks
from onboarding.services.customers.reviews import lock_customer, open_review
from onboarding.services.events import history
from onboarding.services.events.history import Actor, History
from onboarding.services.leads import changes, owners
from onboarding.services.leads.merging import merge_into
from onboarding.services.leads.owners import OwnerMerge, find_owner
from onboarding.services.mails import outbox

DUE_DAYS = 3  # business days to decide about a change
MAX_OPEN = 5  # undecided changes of a customer
REMOVED = "removed_ubo_ids"
BY_ROLE = {
    "PARTNER": Supplier.PARTNER,
    "APPLICANT": Supplier.APPLICANT,
    "OWNER": Supplier.OWNER,
    "REVIEWER": Supplier.REVIEWER,
}
SIGNIFICANT = {  # values whose change opens a review, beside owners
    "business_name",
    "first_name",
    "last_name",
    *ADDRESS,
    "business_address",
    "mailing_address",
}
ADDRESS_KINDS = {  # in the bank's records, as `map_addresses` has them
    "business_address": (AddressKind.REGISTERED, AddressKind.OPERATIONAL),
    "mailing_address": (AddressKind.MAILING,),
}
OF_OWNERS = {Supplier.APPLICANT, Supplier.OWNER}
UNSEEN = {"phone_number", "address", *ADDRESS}  # values of a person that no page shows to owners
BY_OWNER_ROW = {"first_name", "last_name", "ownership_percent"}  # also in the bank's owner


class ChangeTooEarly(Refused):
    """The change is refused: the lead is no customer yet, or all its accounts are closed."""

    code = ErrorCode.CHANGE_TOO_EARLY


class ChangeLimitReached(Refused):
    """The customer has MAX_OPEN undecided changes."""

    code = ErrorCode.CHANGE_LIMIT_REACHED


@dataclass
class Merge:
    """A requested change, set on the lead and its owners but not saved.

    `changed` are the names of changed columns of the lead; `names` are the changed values under
    their names in the API, owners included.
    """

    lead: Lead
    changed: set[str]
    owners: OwnerMerge
    names: list[str] = field(default_factory=list)


def request_change(
    customer: Customer,
    details: Mapping[str, Any],
    *,
    text: str = "",
    document_ids: Sequence[str] = (),
    by: Actor,
    user: User | None = None,
    language: str = "",
    at: datetime,
) -> CustomerCase:
    """Save a requested change of a customer whose lead is locked; nothing else changes yet.

    `details` are values of the lead, `owners` to add or to change by email, and `removed_ubo_ids`.
    `language` is that of the mail about the decision. Personal numbers are not compared with stored
    numbers, and always count as changed. Raises: Invalid, ChangeTooEarly, ChangeLimitReached.
    """
    if customer.is_closed:
        raise ChangeTooEarly
    undecided = CustomerCase.objects.filter(OPEN, customer=customer, kind=CustomerCaseKind.CHANGE)
    if undecided.count() >= MAX_OPEN:
        raise ChangeLimitReached(limit=MAX_OPEN)
    merge = merge_change(customer, details, by=BY_ROLE[by.role])
    case = CustomerCase.objects.create(
        customer=customer,
        kind=CustomerCaseKind.CHANGE,
        causes=[{"cause": ReviewCause.REQUESTED, "text": text.strip(), "at": at.isoformat()}],
        content=as_content(details),
        changed=merge.names,
        document_ids=list(document_ids),
        opened_as=by.role,
        opened_by=user,
        language=language,
        opened_at=at,
        due_at=add_business_hours(at, DUE_DAYS * HOURS_OF_A_DAY),
    )
    said = {"case_id": str(case.external_id), "kind": str(case.kind), "changed": merge.names}
    history.record(
        customer.application,
        EventType.CUSTOMER_CASE_OPENED,
        by=by,
        at=at,
        cause=ReviewCause.REQUESTED.value,
        **said,
    )
    routing.route_customer_case(case, at=at)
    return case


@transaction.atomic
def request_by_staff(
    customer: Customer, details: Mapping[str, Any], *, text: str, by: User, at: datetime
) -> CustomerCase:
    """Lock the lead and save a change that a member of staff asks for.

    `details` as for `request_change`. Raises: Invalid, ChangeTooEarly, ChangeLimitReached.
    """
    locked = lock_customer(customer)
    actor = Actor(Role.REVIEWER, str(by.external_id))
    return request_change(locked, details, text=text, by=actor, user=by, at=at)


def as_content(details: Mapping[str, Any]) -> str:
    """Return the values of a requested change as a case stores them."""
    return json.dumps(details, cls=DjangoJSONEncoder, sort_keys=True)


def merge_change(customer: Customer, details: Mapping[str, Any], *, by: Supplier) -> Merge:
    """Set the values on the customer's lead and its owners, unsaved, and check them together.

    Raises: Invalid, also if nothing changes. A value of UNSEEN that an applicant or owner sent
    counts as a change even if it equals the stored value.
    """
    lead = customer.lead
    values = {name: value for name, value in details.items() if name not in {"owners", REMOVED}}
    changed = merge_into(lead, values, by=by, compare_numbers=False)
    changed |= _list_unseen(values, by)
    merge = _merge_owners(lead, details, by=by)
    changes.check(lead, merge)
    names = {wire(name) for name in changed}
    names |= {wire("owners")} if merge.added or merge.changed else set()
    names |= {wire(REMOVED)} if merge.removed else set()
    if not names:
        raise Invalid([Fault(ErrorCode.CHANGE_EMPTY)])
    return Merge(lead, changed, merge, sorted(names))


@transaction.atomic
def apply_change(case: CustomerCase, *, by: Actor, at: datetime) -> None:
    """Make an approved change in the lead and in the bank's records, and run the checks again.

    The lead must be locked. Tells the partner by an event, and an owner who asked for it by mail. A
    change of a name, an address or an owner opens a review.
    Raises: Invalid if the values do not go together any more; PrimaryOwnerStays.
    """
    customer = case.customer
    application = customer.application
    merge = merge_change(customer, read_details(case), by=BY_ROLE[case.opened_as])
    leaving = [owner.email for owner in merge.owners.removed]
    touched = {merge.owners.owners[place].email for place in merge.owners.changed}
    touched |= {owner.email for owner in merge.owners.added}
    owners.save_owners(merge.owners)
    log = History(merge.lead, by=by, at=at)
    log.add(EventType.CHANGED, application, changed=merge.names)
    changes.save_lead(merge.lead, merge.changed, is_touched=True)
    log.save()
    _change_business(customer, merge, touched=touched, leaving=leaving, by=by, at=at)
    said = {"change_id": str(case.external_id), "changed_fields": merge.names}
    event = history.record(application, EventType.CUSTOMER_CHANGED, by=by, at=at, **said)
    _mail_owner(case, MailKind.CHANGE_MADE, event, at=at)
    run_checks(application, cause=RunCause.ANSWERED, at=at)
    if merge.owners.is_changed or merge.changed & SIGNIFICANT:
        open_review(customer, ReviewCause.DATA_CHANGED, by=by, at=at)


def deny_change(case: CustomerCase, *, by: Actor, at: datetime) -> None:
    """Record the denial of a change for the partner, and mail it to the owner who asked for it.

    Nobody is mailed if the partner or staff asked. The lead must be locked.
    """
    said = {"change_id": str(case.external_id), "change_denial_reason": str(case.denial_reason)}
    event = history.record(
        case.customer.application, EventType.CUSTOMER_CHANGE_DENIED, by=by, at=at, **said
    )
    _mail_owner(case, MailKind.CHANGE_DENIED, event, at=at)


def _mail_owner(case: CustomerCase, kind: MailKind, event: Event, *, at: datetime) -> None:
    """Queue the mail about a decision, if an owner asked for the change."""
    if case.opened_by is None or case.opened_as not in BY_OWNERS:
        return
    application = case.customer.application
    outbox.queue(
        kind,
        application=application,
        user=case.opened_by,
        event=event,
        language=case.language or get_reading_language(application),
        at=at,
    )


def _merge_owners(lead: Lead, details: Mapping[str, Any], *, by: Supplier) -> OwnerMerge:
    """Merge the sent owners by email, and take out the owners to remove, without saving.

    Raises: Invalid if an owner to remove is not an owner of the lead.
    """
    known = list_owners(lead)
    removed = [str(one) for one in details.get(REMOVED) or []]
    ids = {str(owner.external_id) for owner in known}
    faults = [
        Fault(ErrorCode.OWNER_NOT_FOUND, (wire(REMOVED), place))
        for place, one in enumerate(removed)
        if one not in ids
    ]
    if faults:
        raise Invalid(faults)
    leaving = [owner for owner in known if str(owner.external_id) in removed]
    merge = OwnerMerge([owner for owner in known if owner not in leaving], removed=leaving)
    for sent in details.get("owners") or []:
        place = find_owner(merge.owners, sent, taken=merge.places)
        if place is None:
            place = len(merge.owners)
            merge.owners.append(Owner(lead=lead))
            merge.added.append(merge.owners[place])
        merge.places.append(place)
        owner = merge.owners[place]
        changed = merge_into(owner, sent, by=by, compare_numbers=False)
        changed |= _list_unseen(sent, by)
        if changed and owner.pk:
            merge.changed.setdefault(place, set()).update(changed)
    return merge


def _list_unseen(sent: Mapping[str, Any], by: Supplier) -> set[str]:
    """Return the names of sent UNSEEN values, which count as changed even if equal to stored ones.

    Only for the applicant and owners: an answer that a value of another owner changes nothing would
    let them guess it. Empty for other suppliers.
    """
    return {name for name in UNSEEN & sent.keys() if sent[name]} if by in OF_OWNERS else set()


def _change_business(
    customer: Customer,
    merge: Merge,
    *,
    touched: set[str],
    leaving: Sequence[str],
    by: Actor,
    at: datetime,
) -> None:
    """Make the change in the bank's records, and invite new owners who may sign in."""
    lead = merge.lead
    columns = {"business_name": "legal_name", "phone_number": "phone_number"}
    values = {
        column: getattr(lead, name) for name, column in columns.items() if name in merge.changed
    }
    if merge.changed & BY_OWNER_ROW:
        touched = {*touched, lead.email}
    file = open_lead_file(customer.application)
    rows = [owner for owner in account_opening.map_owners(file) if owner.email in touched]
    moved = merge.changed & ADDRESS_KINDS.keys()
    cleared = [kind for name in moved if not getattr(lead, name) for kind in ADDRESS_KINDS[name]]
    added = business_changes.change_business(
        customer.business,
        values=values,
        addresses=list(account_opening.map_addresses(lead)) if moved else [],
        cleared=cleared,
        owners=_with_role(rows, lead),
        removed=leaving,
        at=at,
    )
    account_opening.invite_co_owners(file, added, by, at)


def _with_role(rows: Iterable[BusinessOwner], lead: Lead) -> list[BusinessOwner]:
    """Return the owners, with the sign-in role of the applicant's row cleared.

    The applicant is the primary owner, who may sign in without a role.
    """
    found = list(rows)
    for row in found:
        if row.email == lead.email:
            row.sign_in_role = ""
    return found
