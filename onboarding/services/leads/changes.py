"""Changes: a partner's changes to a lead, checked, added to its history and saved."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from foundation.database import prepared_statements
from foundation.privacy.fields import with_indexes
from onboarding import validators
from onboarding.choices import Supplier
from onboarding.errors import ErrorCode, Fault, Invalid, Refused
from onboarding.event_types import EventType
from onboarding.models import Application, Lead, Owner
from onboarding.names import wire
from onboarding.services.documents import intake
from onboarding.services.documents.arrivals import note_documents
from onboarding.services.documents.file_store import FileStore
from onboarding.services.documents.intake import Attachments
from onboarding.services.events.history import AUDIT_CHAIN_FIELDS, History
from onboarding.services.leads.merging import Details, columns_of
from onboarding.services.leads.owners import OwnerMerge

MAX_EDD_ANSWERS = 100
SEPARATE = {"email", "owners", "documents", "document_urls"}  # not merged as values of the lead


class UniqueIdInUse(Refused):
    """Another lead of the partner has this uniqueId."""

    code = ErrorCode.UNIQUE_ID_IN_USE


def split(details: Details) -> tuple[dict[str, Any], list[Mapping[str, Any]]]:
    """Return the values of the lead itself without the email, and the values of its owners."""
    values = {name: value for name, value in details.items() if name not in SEPARATE}
    return values, details.get("owners") or []


def check_between(lead: Lead, owners: Sequence[Owner]) -> None:
    """Check the rules that involve several values of a lead and its owners. Raises: Invalid."""
    check(lead, OwnerMerge(list(owners), places=list(range(len(owners)))))


def check(lead: Lead, merge: OwnerMerge) -> None:
    """Check the rules that involve several values, after a merge. Raises: Invalid."""
    holders = [*map(vars, merge.owners)]
    faults = [
        *validators.address_faults(vars(lead), path=()),
        *validators.address_faults(lead.business_address, path=("businessAddress",)),
        *validators.address_faults(lead.mailing_address, path=("mailingAddress",)),
        *validators.metadata_faults(lead.metadata),
        *validators.ownership_faults(lead.email, lead.ownership_percent, holders),
    ]
    for position, place in enumerate(merge.places):
        address = merge.owners[place].address
        faults += validators.address_faults(address, path=("uboList", position, "address"))
    if len(lead.edd_answers) > MAX_EDD_ANSWERS:
        limit = {
            "en": f"a list of at most {MAX_EDD_ANSWERS} answers",
            "es": f"una lista de {MAX_EDD_ANSWERS} respuestas como máximo",
        }
        faults.append(Fault(ErrorCode.VALUE_OUT_OF_RANGE, ("eddQuestionData",), {"range": limit}))
    if faults:
        raise Invalid(faults)


def attach(lead: Lead, sent: Details, *, store: FileStore, at: datetime) -> Attachments:
    """Write the files of a partner's request, and return their documents and URLs, unsaved.

    The caller saves them by `intake.save_attachments`. Raises: TooManyDocuments.
    """
    return intake.attach_documents(
        lead,
        sent.get("documents") or [],
        urls=sent.get("document_urls") or [],
        store=store,
        supplied_by=Supplier.PARTNER,
        at=at,
    )


def note(
    history: History,
    application: Application,
    changed: set[str],
    merge: OwnerMerge,
    attachments: Attachments,
    *,
    is_complete: bool = False,
) -> None:
    """Add an event for the changed values of a stored lead, and an event per new file.

    Files that wait for their first scan get no event yet. `is_complete` says that the application
    now has all that it waited for, which the last event notes.
    """
    names = list_names(changed, merge, Attachments([], attachments.new_urls, []))
    if application.pk and names:
        history.add(EventType.CHANGED, application, changed=names)
    note_documents(history, application, attachments, is_complete=is_complete)


def list_names(changed: set[str], merge: OwnerMerge, attachments: Attachments) -> list[str]:
    """Return the wire names of the changed values, owners and documents, sorted."""
    names = {wire(name) for name in changed}
    if merge.is_changed:
        names.add(wire("owners"))
    if attachments.new_urls:
        names.add(wire("document_urls"))
    if attachments.received:
        names.add(wire("documents"))
    return sorted(names)


def is_touched(merge: OwnerMerge, attachments: Attachments, history: History) -> bool:
    """Return whether owners, documents or events of the lead are new or changed."""
    return merge.is_changed or attachments.are_new or bool(history.events)


def save_lead(lead: Lead, changed: set[str], *, is_touched: bool) -> None:
    """Save the `changed` columns of a stored lead, and the columns that go with them.

    These are the search indexes, who supplied or corrected the values, the end of the event chain,
    and `updated_at`. Without changed columns the lead is saved only if `is_touched`: its owners,
    documents or events are new or changed.
    """
    if changed or is_touched:
        names = [*columns_of(changed), *AUDIT_CHAIN_FIELDS, "updated_at"]
        prepared_statements.update(lead, with_indexes(Lead, names))
