"""Amendments: a partner's updates, merged into registered leads."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Supplier
from onboarding.errors import ErrorCode, Fault, Refused
from onboarding.models import Application, Lead, Owner, Partner
from onboarding.queries.leads import lock_current_application, open_lead_file
from onboarding.services.applications import attempts, lifecycle
from onboarding.services.documents import intake
from onboarding.services.documents.file_store import FileStore
from onboarding.services.documents.intake import AttachedDocument
from onboarding.services.events.history import PARTNER, History
from onboarding.services.leads import changes, owners
from onboarding.services.leads.changes import UniqueIdInUse
from onboarding.services.leads.merging import Details, merge_into
from onboarding.services.leads.owners import OwnerMerge


class EmailImmutable(Refused):
    """The sent email differs from the lead's email."""

    code = ErrorCode.EMAIL_IMMUTABLE


@dataclass(frozen=True)
class Amendment:
    """An amended lead: its application, all its owners, the changed values and the sent files.

    `changed` has wire names, among them those of owners and documents if any of these changed.
    `kept` has the paths of sent values that did not overwrite values from an owner.
    """

    application: Application
    owners: list[Owner]
    changed: list[str]
    files: list[AttachedDocument]
    kept: list[tuple[str | int, ...]]


def update_lead(
    *, partner: Partner, customer_id: str, details: Details, store: FileStore, at: datetime
) -> Amendment:
    """Merge the details into a lead: absent values are kept, None clears, documents are added.

    `owners` None removes all owners except owners with their own part. An application that now has
    all that it waited for moves on.
    Call it in `file_transaction`, and again after an IntegrityError: a concurrent call took the
    uniqueId. Raises: LeadNotFound, EmailImmutable, UniqueIdInUse, LeadLocked, ApplicationClosed,
    Invalid, TooManyDocuments.
    """
    application = lock_current_application(partner=partner, customer_id=customer_id)
    lead = application.lead
    attempts.require_open(application)
    if details["email"] != lead.email:
        raise EmailImmutable([Fault(ErrorCode.EMAIL_IMMUTABLE, ("email",))])
    is_editable = Status(application.status).is_editable
    asked = [] if is_editable else open_lead_file(application).requirements
    values, owners_sent = changes.split(details)
    _require_unique_id(lead, values.get("unique_id"))
    # A locked lead keeps its number: refusing only wrong guesses would reveal the right number.
    changed = merge_into(lead, values, by=Supplier.PARTNER, compare_numbers=is_editable)
    merge = _merge_or_remove_owners(lead, details, owners_sent, compare_numbers=is_editable)
    attempts.require_unlocked(application, changed, merge, asked)
    changes.check(lead, merge)
    attachments = changes.attach(lead, details, store=store, at=at)
    owners.save_owners(merge)
    intake.save_attachments(attachments)
    attachments = intake.renew_duplicates(application, attachments, at=at)
    target = attempts.next_status(application)
    history = History(lead, by=PARTNER, at=at)
    changes.note(history, application, changed, merge, attachments, is_complete=bool(target))
    is_touched = changes.is_touched(merge, attachments, history)
    changes.save_lead(lead, changed, is_touched=is_touched)
    history.save()
    if target:
        lifecycle.move(application, target, by=PARTNER, at=at)
    names = changes.list_names(changed, merge, attachments)
    return Amendment(application, merge.owners, names, attachments.files, merge.kept)


def _require_unique_id(lead: Lead, unique_id: str | None) -> None:
    if not unique_id or unique_id == lead.unique_id:
        return
    if Lead.objects.filter(partner=lead.partner_id, unique_id=unique_id).exists():
        raise UniqueIdInUse([Fault(ErrorCode.UNIQUE_ID_IN_USE, ("uniqueId",))])


def _merge_or_remove_owners(
    lead: Lead, details: Details, sent: list[Mapping[str, Any]], *, compare_numbers: bool
) -> OwnerMerge:
    if "owners" in details and details["owners"] is None:
        return owners.remove_owners(lead)
    return owners.merge_owners(lead, sent, keep_applicants=False, compare_numbers=compare_numbers)
