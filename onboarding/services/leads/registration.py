"""Leads: create, update, add documents, withdraw, and grant a new way in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from django.db import transaction
from django.db.models import Model

from foundation.database import prepared_statements
from foundation.database.inserts import insert
from foundation.privacy.fields import with_indexes
from onboarding import validators
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import EventType, Supplier
from onboarding.errors import ErrorCode, Fault, Invalid, Refused
from onboarding.models import Application, Lead, Owner, Partner
from onboarding.names import wire
from onboarding.queries.leads import (
    LeadFile,
    lock_current_application,
    lock_holders,
    open_lead_file,
)
from onboarding.services.access import links
from onboarding.services.applications import attempts, lifecycle
from onboarding.services.documents import intake
from onboarding.services.documents.arrivals import note_documents, record_receipt
from onboarding.services.documents.intake import (
    Attached,
    Attachments,
    Incoming,
    Rehearsal,
    Store,
)
from onboarding.services.events.history import END_OF_CHAIN, PARTNER, History
from onboarding.services.leads import owners
from onboarding.services.leads.merging import (
    Details,
    columns_of,
    kept_from_applicant,
    merge_into,
)
from onboarding.services.leads.owners import Roll
from onboarding.services.work import as_one

MOST_EDD_ANSWERS = 100


class UniqueIdInUse(Refused):
    """Another lead of the partner has this uniqueId."""

    code = ErrorCode.UNIQUE_ID_IN_USE


class EmailImmutable(Refused):
    """The email sent is not the lead's."""

    code = ErrorCode.EMAIL_IMMUTABLE


class _Undone(Exception):
    """Rolls a preview back, files included."""

    def __init__(self, file: LeadFile) -> None:
        self.file = file


@dataclass(frozen=True)
class Registration:
    """What create answers: the application, the way into it, and what was not overwritten."""

    application: Application
    owners: list[Owner]
    access: links.Access
    kept: list[tuple[str | int, ...]]


@dataclass(frozen=True)
class Amendment:
    """What update answers: the application, and what changed by name."""

    application: Application
    owners: list[Owner]
    changed: list[str]
    files: list[Attached]


def create_lead(*, partner: Partner, details: Details, at: datetime) -> Registration:
    """Register an applicant, or merge what is sent into the lead that has the email already.

    `details` are the values of a lead under their Python names, `owners`, `documents` and
    `document_urls` among them; None and absent are the same.
    Raises: UniqueIdInUse, LeadLocked, ApplicationClosed, CustomerAlreadyOnboarded, Invalid.
    """
    sent = {name: value for name, value in details.items() if value is not None}
    return as_one(lambda store: _create(partner, sent, store, at))


def preview_lead(*, partner: Partner, details: Details, at: datetime) -> LeadFile:
    """Return what `create_lead` would leave, having left nothing. Raises: what it raises."""
    sent = {name: value for name, value in details.items() if value is not None}
    try:
        with transaction.atomic():  # which nothing of a rehearsal outlives
            return as_one(lambda _: _rehearse(partner, sent, Rehearsal(), at))
    except _Undone as undone:
        return undone.file


def update_lead(*, partner: Partner, customer_id: str, details: Details, at: datetime) -> Amendment:
    """Merge what is sent into a lead: absent is kept, None is cleared, documents are added.

    Raises: LeadNotFound, EmailImmutable, UniqueIdInUse, LeadLocked, ApplicationClosed, Invalid.
    """
    return as_one(lambda store: _update(partner, customer_id, details, store, at))


def upload_documents(
    *, partner: Partner, customer_id: str, incoming: Sequence[Incoming], at: datetime
) -> tuple[Application, list[Attached]]:
    """Add documents to a lead: all of them or none.

    Raises: LeadNotFound, ApplicationClosed, TooManyDocuments.
    """
    return as_one(lambda store: _upload(partner, customer_id, incoming, store, at))


def _upload(
    partner: Partner, customer_id: str, incoming: Sequence[Incoming], store: Store, at: datetime
) -> tuple[Application, list[Attached]]:
    application = lock_current_application(partner=partner, customer_id=customer_id)
    attempts.require_open(application)
    attachments = intake.attach_documents(
        application.lead, incoming, store=store, supplied_by=Supplier.PARTNER, at=at
    )
    intake.save_attachments(attachments)
    attachments = intake.renew_duplicates(application, attachments, at=at)
    record_receipt(application, attachments, by=PARTNER, at=at)
    return application, attachments.files


def _create(
    partner: Partner, sent: Details, store: Store, at: datetime, *, compare_numbers: bool = True
) -> Registration:
    current = _find(partner, email=sent["email"], unique_id=sent.get("unique_id", ""))
    application = attempts.next_application(current, partner, sent["email"], at)
    lead = application.lead
    values, owners_sent = _split(sent)
    kept = kept_from_applicant(lead, values)
    values = {name: value for name, value in values.items() if name not in kept}
    changed = merge_into(lead, values, by=Supplier.PARTNER, compare_numbers=compare_numbers)
    roll = owners.merge_owners(
        lead, owners_sent, keep_applicants=True, compare_numbers=compare_numbers
    )
    _check(lead, roll)
    access = links.grant(application, at=at)
    attachments = _attach(lead, sent, store, at)
    history = History(lead, by=PARTNER, at=at)
    if application.pk is None:
        history.add(EventType.CREATED, application)
    _note(history, application, changed, roll, attachments)
    is_touched = _is_touched(roll, attachments, history)
    _save(lead, application, roll, history, changed, is_touched=is_touched)
    intake.save_attachments(attachments)
    return Registration(
        application, roll.owners, access, [*((wire(name),) for name in sorted(kept)), *roll.kept]
    )


def _rehearse(partner: Partner, sent: Details, store: Store, at: datetime) -> NoReturn:
    # A rehearsal leaves the number as it was: its duration could tell whether a guess was right.
    registration = _create(partner, sent, store, at, compare_numbers=False)
    raise _Undone(open_lead_file(registration.application))


def _update(
    partner: Partner, customer_id: str, details: Details, store: Store, at: datetime
) -> Amendment:
    application = lock_current_application(partner=partner, customer_id=customer_id)
    lead = application.lead
    attempts.require_open(application)
    if details["email"] != lead.email:
        raise EmailImmutable([Fault(ErrorCode.EMAIL_IMMUTABLE, ("email",))])
    is_editable = Status(application.status).is_editable
    asked = [] if is_editable else open_lead_file(application).requirements
    values, owners_sent = _split(details)
    _require_unique_id(lead, values.get("unique_id"))
    # A locked lead keeps its number: refusing only a wrong guess would tell the right one.
    changed = merge_into(lead, values, by=Supplier.PARTNER, compare_numbers=is_editable)
    roll = _merge_or_remove_owners(lead, details, owners_sent, compare_numbers=is_editable)
    attempts.require_unlocked(application, changed, roll, asked)
    _check(lead, roll)
    attachments = _attach(lead, details, store, at)
    owners.save_owners(roll)
    intake.save_attachments(attachments)
    attachments = intake.renew_duplicates(application, attachments, at=at)
    target = attempts.next_status(application)
    history = History(lead, by=PARTNER, at=at)
    _note(history, application, changed, roll, attachments, is_complete=bool(target))
    _save_lead(lead, changed, is_touched=_is_touched(roll, attachments, history))
    history.save()
    if target:
        lifecycle.move(application, target, by=PARTNER, at=at)
    names = _names(changed, roll, attachments)
    return Amendment(application, roll.owners, names, attachments.files)


def _find(partner: Partner, *, email: str, unique_id: str) -> Application | None:
    """Return the current application of the lead with this email, locked.

    One statement finds whoever holds the email or the uniqueId. Raises: UniqueIdInUse.
    """
    by_email = None
    for application in lock_holders(partner=partner, email=email, unique_id=unique_id):
        if application.lead.email != email:
            raise UniqueIdInUse([Fault(ErrorCode.UNIQUE_ID_IN_USE, ("uniqueId",))])
        by_email = application
    return by_email


def _split(details: Details) -> tuple[dict[str, Any], list[Mapping[str, Any]]]:
    """Part the lead's own values from the owners; email, files and URLs are handled apart."""
    apart = {"email", "owners", "documents", "document_urls"}
    values = {name: value for name, value in details.items() if name not in apart}
    return values, details.get("owners") or []


def _merge_or_remove_owners(
    lead: Lead, details: Details, sent: list[Mapping[str, Any]], *, compare_numbers: bool
) -> Roll:
    if "owners" in details and details["owners"] is None:
        return owners.remove_owners(lead)
    return owners.merge_owners(lead, sent, keep_applicants=False, compare_numbers=compare_numbers)


def check_between(lead: Lead, owners: Sequence[Owner]) -> None:
    """Check what holds between the values of a lead and its owners. Raises: Invalid."""
    _check(lead, Roll(list(owners), places=list(range(len(owners)))))


def _check(lead: Lead, roll: Roll) -> None:
    """Check what holds between the values after the merge. Raises: Invalid."""
    holders = [*map(vars, roll.owners)]
    faults = [
        *validators.address_faults(vars(lead), path=()),
        *validators.address_faults(lead.business_address, path=("businessAddress",)),
        *validators.address_faults(lead.mailing_address, path=("mailingAddress",)),
        *validators.metadata_faults(lead.metadata),
        *validators.ownership_faults(lead.email, lead.ownership_percent, holders),
    ]
    for position, place in enumerate(roll.places):
        address = roll.owners[place].address
        faults += validators.address_faults(address, path=("uboList", position, "address"))
    if len(lead.edd_answers) > MOST_EDD_ANSWERS:
        limit = {
            "en": f"at most {MOST_EDD_ANSWERS} answers",
            "es": f"{MOST_EDD_ANSWERS} respuestas",
        }
        faults.append(Fault(ErrorCode.VALUE_OUT_OF_RANGE, ("eddQuestionData",), {"range": limit}))
    if faults:
        raise Invalid(faults)


def _require_unique_id(lead: Lead, unique_id: str | None) -> None:
    if not unique_id or unique_id == lead.unique_id:
        return
    if Lead.objects.filter(partner=lead.partner_id, unique_id=unique_id).exists():
        raise UniqueIdInUse([Fault(ErrorCode.UNIQUE_ID_IN_USE, ("uniqueId",))])


def _is_touched(roll: Roll, attachments: Attachments, history: History) -> bool:
    """Say whether something beside the lead's own values is new."""
    return roll.is_changed or attachments.are_new or not history.is_empty


def _save(
    lead: Lead,
    application: Application,
    roll: Roll,
    history: History,
    changed: set[str],
    *,
    is_touched: bool,
) -> None:
    """Save a lead and its application with all that is new, which is one statement."""
    new: list[Model] = [row for row in (lead, application) if row.pk is None]
    if lead.pk is not None:
        _save_lead(lead, changed, is_touched=is_touched)
    if application.pk is not None:
        prepared_statements.update(application, links.GRANTED)
    owners.save_changed(roll)
    insert(*new, *roll.added, *history.events)


def _save_lead(lead: Lead, changed: set[str], *, is_touched: bool) -> None:
    """Save what changed, and when; for a lead that is touched, by what belongs to it, the when."""
    if changed or is_touched:
        names = [*columns_of(changed), *END_OF_CHAIN, "updated_at"]
        prepared_statements.update(lead, with_indexes(Lead, names))


def _attach(lead: Lead, sent: Details, store: Store, at: datetime) -> Attachments:
    return intake.attach_documents(
        lead,
        sent.get("documents") or [],
        urls=sent.get("document_urls") or [],
        store=store,
        supplied_by=Supplier.PARTNER,
        at=at,
    )


def _note(
    history: History,
    application: Application,
    changed: set[str],
    roll: Roll,
    attachments: Attachments,
    *,
    is_complete: bool = False,
) -> None:
    """Note what a partner changed in a lead that was there already, and which files came."""
    names = _names(changed, roll, Attachments([], attachments.new_urls, []))
    if application.pk and names:
        history.add(EventType.CHANGED, application, changed=names)
    note_documents(history, application, attachments, is_complete=is_complete)


def _names(changed: set[str], roll: Roll, attachments: Attachments) -> list[str]:
    names = {wire(name) for name in changed}
    if roll.is_changed:
        names.add(wire("owners"))
    if attachments.new_urls:
        names.add(wire("document_urls"))
    if any(not one.is_duplicate for one in attachments.files):
        names.add(wire("documents"))
    return sorted(names)
