"""Simulations: activities of applicant, checks, provider and staff, played in the sandbox."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models

from onboarding import legal_texts, sample_documents
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason, LegalText, LlcFileType, Role, StatusGroup
from onboarding.errors import ErrorCode, Refused
from onboarding.models import Application, Event, Partner
from onboarding.queries.leads import lock_application, lock_current_application, open_lead_file
from onboarding.queries.requirements import Kind, Requirement
from onboarding.services.access import sessions
from onboarding.services.applications import lifecycle
from onboarding.services.checks import screenings
from onboarding.services.documents import applicant_documents
from onboarding.services.documents.file_store import FileStore, file_transaction
from onboarding.services.documents.intake import SentDocument, inspect
from onboarding.services.events.history import CHECKS, CLOCK, Actor
from onboarding.services.leads import submissions
from onboarding.services.reviews import decisions
from onboarding.services.sandbox import sandbox_data
from onboarding.uploads import Upload

STAFF = Actor(Role.REVIEWER, "sandbox")
LANGUAGE = "en"
UNREADABLE = "The document cannot be read."
NOTHING = {"en": "nothing", "es": "nada"}


class Activity(models.TextChoices):
    """An activity that the sandbox can play; the label describes the simulated step."""

    OPEN = "open", "The applicant opens the application"
    SUBMIT = "submit", "The applicant fills in what is missing and submits; checks run at once"
    DOCV_UPLOAD = "docv_upload", "Proofs of identity come in"
    LLC_DOC_UPLOAD = "llc_doc_upload", "The documents of the business come in"
    KYB_PROVIDER_UPLOAD = "kyb_provider_upload", "The provider has verified everybody's identity"
    COMPLIANCE_APPROVE = "compliance_approve", "Staff approve"
    COMPLIANCE_REJECT = "compliance_reject", "Staff deny"
    DOCS_REQUIRED = "docs_required", "Staff ask for a document once more"
    TEMP_APPROVE = "temp_approve", "Staff approve until the documents are due"
    EXPIRE = "expire", "The clock ends the application"

    def is_allowed(self, status: Status) -> bool:
        """Return whether the activity can happen to an application in a status."""
        return status in ALLOWED[self]


_A, _S = Activity, Status
ALLOWED: Mapping[Activity, set[Status]] = {
    _A.OPEN: {_S.CREATED},
    _A.SUBMIT: {_S.CREATED, _S.IN_PROGRESS},
    _A.DOCV_UPLOAD: {_S.CREATED, _S.IN_PROGRESS, _S.SUBMITTED, _S.ID_VERIFICATION},
    _A.LLC_DOC_UPLOAD: {
        status
        for status in _S
        if status.takes_documents and status.group is not StatusGroup.PENDING_APPLICANT
    },
    _A.KYB_PROVIDER_UPLOAD: {_S.SUBMITTED, _S.ID_VERIFICATION, _S.IN_REVIEW},
    _A.COMPLIANCE_APPROVE: {_S.IN_REVIEW, _S.APPROVED_TEMPORARY},
    _A.COMPLIANCE_REJECT: {_S.IN_REVIEW, _S.APPROVED_TEMPORARY},
    _A.DOCS_REQUIRED: {_S.IN_REVIEW},
    _A.TEMP_APPROVE: {_S.IN_REVIEW},
    _A.EXPIRE: {status for status in _S if _S.EXPIRED in status.moves},
}


APPROVALS = {_A.COMPLIANCE_APPROVE, _A.TEMP_APPROVE}  # screening hits block them


class ActivityNotAllowed(Refused):
    """The activity cannot happen in this status, or screening hits block an approval."""

    code = ErrorCode.ACTIVITY_NOT_ALLOWED


@dataclass(frozen=True)
class Played:
    """The result of an activity; `events` has the events that are published to the partner."""

    application: Application
    activity: Activity
    previous_status: Status
    events: list[Event]

    @property
    def allowed_activities(self) -> list[Activity]:
        """Return the activities that can be played next."""
        return list_allowed(Status(self.application.status))


def list_allowed(status: Status) -> list[Activity]:
    """Return the activities that can happen to an application in a status."""
    return [activity for activity in Activity if activity.is_allowed(status)]


def play(*, partner: Partner, customer_id: str, activity: Activity, at: datetime) -> Played:
    """Play an activity in one transaction. Locks the lead and its current application.

    Raises: LeadNotFound, ActivityNotAllowed, Invalid, TooManyDocuments.
    """
    with file_transaction() as store:
        application = lock_current_application(partner=partner, customer_id=customer_id)
        status, sequence = Status(application.status), application.lead.last_sequence
        if not activity.is_allowed(status):
            names = ", ".join(list_allowed(status)) or NOTHING
            raise ActivityNotAllowed(activity=activity.value, status=status.value, allowed=names)
        try:
            ACTS[activity](application, at, store)
        except decisions.HitsOpen as exc:
            names = ", ".join(one for one in list_allowed(status) if one not in APPROVALS)
            raise ActivityNotAllowed(
                activity=activity.value, status=status.value, allowed=names or NOTHING
            ) from exc
        events = list(application.lead.events.filter(sequence__gt=sequence).order_by("sequence"))
        return Played(_reload(application), activity, status, events)


def _reload(application: Application) -> Application:
    """Return the application, read again and still locked. Raises: InvalidMove."""
    found = lock_application(pk=application.pk)
    if found is None:
        raise lifecycle.InvalidMove(source=application.status, target=application.status)
    return found


def _open(application: Application, at: datetime, _store: FileStore) -> None:
    """Open a session of the applicant and end it, since its key is not used."""
    opened = sessions.open_session(application, language=LANGUAGE, at=at)
    sessions.end_session(opened.session)


def _submit(application: Application, at: datetime, store: FileStore) -> None:
    _sign(application, at, store)
    screenings.screen(_reload(application), at=at)


def _sign(application: Application, at: datetime, store: FileStore) -> None:
    """Open the application if it is new, fill in missing values, and submit it."""
    if application.status == Status.CREATED:
        _open(application, at, store)
    sandbox_data.fill_in(_reload(application), at=at)
    ready = _reload(application)
    submissions.submit(
        ready,
        signed_name=ready.lead.full_name,
        agreed={text: legal_texts.current(text, LANGUAGE).version for text in LegalText},
        language=LANGUAGE,
        seen=submissions.state_of(ready.lead),
        at=at,
    )


def _upload_proofs(application: Application, at: datetime, store: FileStore) -> None:
    """Upload proofs of identity, and request them first if they were not requested."""
    if Status(application.status).is_editable:
        _sign(application, at, store)
    current = _reload(application)
    if current.status == Status.SUBMITTED:
        decisions.request_identity(current, [current.lead], by=CHECKS, at=at)
    _send(current, {Kind.IDENTITY}, at, store)


def _send(application: Application, kinds: set[Kind], at: datetime, store: FileStore) -> None:
    """Upload sample documents for the requirements of some kinds, as the applicant."""
    wanted = [one for one in open_lead_file(application).requirements if one.kind in kinds]
    by_person: dict[Any, list[Requirement]] = {}
    for requirement in wanted:
        by_person.setdefault(requirement.ubo_id, []).append(requirement)
    for owner_id, requirements in by_person.items():
        types = dict.fromkeys(one.accepted_types[0] for one in requirements)
        files = [_sample(LlcFileType(kind), at) for kind in types]
        applicant_documents.add_documents(application, files, owner_id=owner_id, store=store, at=at)


def _sample(kind: LlcFileType, at: datetime) -> SentDocument:
    content, content_type, file_name = sample_documents.draw(kind, marks=[at.isoformat()])
    upload = Upload()
    upload.write(content)
    return inspect(upload, content_type=content_type, file_name=file_name, llc_file_type=kind.value)


def _ask(application: Application, at: datetime, _store: FileStore) -> None:
    kinds: Sequence[str] = [
        kind
        for document in application.lead.documents.order_by("pk")
        if (kind := document.llc_file_type) and document.owner_id is None
    ]
    again = LlcFileType(next(iter(kinds), LlcFileType.UTILITY_BILL))
    decisions.request_documents(application, {again: UNREADABLE}, by=STAFF, at=at)


ACTS: Mapping[Activity, Callable[[Application, datetime, FileStore], None]] = {
    _A.OPEN: _open,
    _A.SUBMIT: _submit,
    _A.DOCV_UPLOAD: _upload_proofs,
    _A.LLC_DOC_UPLOAD: lambda one, at, store: _send(one, {Kind.DOCUMENT}, at, store),
    _A.KYB_PROVIDER_UPLOAD: lambda one, at, _store: decisions.verify_identities(
        one, by=CHECKS, at=at
    ),
    _A.COMPLIANCE_APPROVE: lambda one, at, _store: decisions.approve(one, by=STAFF, at=at),
    _A.COMPLIANCE_REJECT: lambda one, at, _store: decisions.deny(
        one, reasons=[DenialReason.NOT_ELIGIBLE], by=STAFF, at=at
    ),
    _A.DOCS_REQUIRED: _ask,
    _A.TEMP_APPROVE: lambda one, at, _store: decisions.approve_temporarily(one, by=STAFF, at=at),
    _A.EXPIRE: lambda one, at, _store: lifecycle.move(one, Status.EXPIRED, by=CLOCK, at=at),
}
