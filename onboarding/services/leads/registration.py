"""Registration: leads created, merged into the lead with the same email, or previewed."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Model

from foundation.database import prepared_statements
from foundation.database.inserts import insert
from foundation.database.retries import retry_on_conflict
from onboarding.choices import Supplier
from onboarding.errors import ErrorCode, Fault
from onboarding.event_types import EventType
from onboarding.models import Application, Lead, Owner, Partner
from onboarding.names import wire
from onboarding.queries.leads import LeadFile, lock_holders, open_lead_file
from onboarding.services.access import links
from onboarding.services.applications import attempts
from onboarding.services.documents import intake
from onboarding.services.documents.file_store import DryRunFileStore, FileStore
from onboarding.services.events.history import PARTNER, History
from onboarding.services.leads import changes, owners
from onboarding.services.leads.changes import UniqueIdInUse
from onboarding.services.leads.merging import Details, list_kept, merge_into
from onboarding.services.leads.owners import OwnerMerge


@dataclass(frozen=True)
class Registration:
    """A registered lead with the applicant's access.

    `owners` are all owners of the lead. `kept` has the paths of sent values that were ignored,
    since the applicant or an owner had set other values.
    """

    application: Application
    owners: list[Owner]
    access: links.Access
    kept: list[tuple[str | int, ...]]


def create_lead(
    *,
    partner: Partner,
    details: Details,
    store: FileStore,
    at: datetime,
    compare_numbers: bool = True,
) -> Registration:
    """Register an applicant, or merge the details into the partner's lead with the same email.

    `details` are the values of a lead under their Python names, `owners`, `documents` and
    `document_urls` among them; None and absent are the same. Call it in `file_transaction`, and
    again after an IntegrityError: a concurrent call took the email or the uniqueId.
    Raises: UniqueIdInUse, LeadLocked, ApplicationClosed, CustomerAlreadyOnboarded, Invalid,
    TooManyDocuments.
    """
    sent = {name: value for name, value in details.items() if value is not None}
    current = _find(partner, email=sent["email"], unique_id=sent.get("unique_id", ""))
    application = attempts.next_application(current, partner, sent["email"], at)
    lead = application.lead
    values, owners_sent = changes.split(sent)
    kept = list_kept(lead, values, of=[Supplier.APPLICANT])
    values = {name: value for name, value in values.items() if name not in kept}
    changed = merge_into(lead, values, by=Supplier.PARTNER, compare_numbers=compare_numbers)
    merge = owners.merge_owners(
        lead, owners_sent, keep_applicants=True, compare_numbers=compare_numbers
    )
    changes.check(lead, merge)
    access = links.grant(application, at=at)
    attachments = changes.attach(lead, sent, store=store, at=at)
    history = History(lead, by=PARTNER, at=at)
    if application.pk is None:
        history.add(EventType.CREATED, application)
    changes.note(history, application, changed, merge, attachments)
    is_touched = changes.is_touched(merge, attachments, history)
    _save(lead, application, merge, history, changed, is_touched=is_touched)
    intake.save_attachments(attachments)
    paths = [*((wire(name),) for name in sorted(kept)), *merge.kept]
    return Registration(application, merge.owners, access, paths)


@retry_on_conflict
def preview_lead(*, partner: Partner, details: Details, at: datetime) -> LeadFile:
    """Return the lead as `create_lead` would leave it, and roll everything back.

    Personal numbers are not compared: the duration could reveal whether a guess was right.
    Raises: the exceptions of `create_lead`.
    """
    with transaction.atomic():
        registration = create_lead(
            partner=partner,
            details=details,
            store=DryRunFileStore(),
            at=at,
            compare_numbers=False,
        )
        file = open_lead_file(registration.application)
        transaction.set_rollback(True)
    return file


def _find(partner: Partner, *, email: str, unique_id: str) -> Application | None:
    """Return the current application of the lead with this email, locked; None without a lead.

    One database query finds the leads with the email or the uniqueId. Raises: UniqueIdInUse.
    """
    by_email = None
    for application in lock_holders(partner=partner, email=email, unique_id=unique_id):
        if application.lead.email != email:
            raise UniqueIdInUse([Fault(ErrorCode.UNIQUE_ID_IN_USE, ("uniqueId",))])
        by_email = application
    return by_email


def _save(
    lead: Lead,
    application: Application,
    merge: OwnerMerge,
    history: History,
    changed: set[str],
    *,
    is_touched: bool,
) -> None:
    """Save a lead, its application, owners and events; insert all new rows in one statement."""
    new: list[Model] = [row for row in (lead, application) if row.pk is None]
    if lead.pk is not None:
        changes.save_lead(lead, changed, is_touched=is_touched)
    if application.pk is not None:
        prepared_statements.update(application, links.GRANTED)
    owners.save_changed(merge)
    insert(*new, *merge.added, *history.events)
