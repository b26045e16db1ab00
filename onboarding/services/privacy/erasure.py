"""Erasure: deletion of the personal data of leads that never submitted an application.

The rows of the lead, its applications and its events stay, without personal values. So do
consents of owners who signed their own part, which have the owner's name and IP address.
"""

import logging
import secrets
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.core.files.storage import storages
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from uuid_utils.compat import uuid7

from banking.services import stores
from onboarding.choices import REPEATABLE, MailStatus
from onboarding.event_types import EventType
from onboarding.models import (
    AccessCode,
    Application,
    FlowSession,
    FormDraft,
    Holder,
    IdempotencyRecord,
    Lead,
    Mail,
    Note,
    PartnerVerification,
    ReplacedLink,
    Reply,
    VerificationRequest,
)
from onboarding.queries.leads import lock_application
from onboarding.services.applications import expiry
from onboarding.services.events import history
from onboarding.services.events.history import AUDIT_CHAIN_FIELDS, CLOCK

logger = logging.getLogger(__name__)

KEPT_FIELDS = {"id", "external_id", "partner", "published_sequence", *AUDIT_CHAIN_FIELDS}
KEPT_FIELDS |= {"created_at", "updated_at", "erased_at"}
OF_APPLICATIONS: tuple[type[Model], ...] = (
    *(AccessCode, FlowSession, FormDraft, Note, Reply, ReplacedLink),
    *(PartnerVerification, VerificationRequest),
)


def list_erasable(*, before: datetime) -> QuerySet[Application]:
    """Return the current applications of leads whose applications all ended by `before`.

    Ended means expired or withdrawn without a submission. Erased leads are left out.
    """
    return Application.objects.filter(_is_erasable(before), is_current=True)


def erase_unsubmitted(*, before: datetime, at: datetime) -> Iterator[expiry.Outcome]:
    """Erase leads whose applications all ended, unsubmitted, by `before`; a transaction each.

    Works while the outcomes, one per lead, are iterated. Raises: StoreOfAnother.
    """
    stores.require_own()  # a restored copy would delete files of production
    return expiry.each(list_erasable(before=before), partial(_erase, before=before, at=at))


def _is_erasable(before: datetime) -> Q:
    of_lead = Application.objects.filter(lead=OuterRef("lead"))
    ended = Q(status__in=sorted(REPEATABLE), status_changed_at__lte=before, submitted_at=None)
    return Q(lead__erased_at=None) & ~Q(Exists(of_lead.exclude(ended)))


@transaction.atomic
def _erase(pk: int, *, before: datetime, at: datetime) -> bool:
    """Erase the lead of an application unless a new attempt was opened; return whether it did.

    Its files are deleted on commit.
    """
    application = lock_application(_is_erasable(before), pk=pk)
    if application is None:
        return False
    lead = application.lead
    files = list(lead.documents.exclude(file="").values_list("file", flat=True))
    lead.documents.all().delete()
    Holder.objects.filter(lead=lead).delete()
    lead.owners.all().delete()
    _delete_related_data(lead)
    history.record(application, EventType.ERASED, by=CLOCK, at=at)
    _blank(lead, at=at)
    transaction.on_commit(partial(_delete_files, files))
    return True


def _delete_related_data(lead: Lead) -> None:
    """Delete rows with personal data of a lead's applications; clear their texts and mails.

    The rows are codes, sessions, drafts, notes, replies, replaced links, verifications and stored
    API responses. Cancels queued mails and invalidates links and tokens. A referral has the name
    and the email of the person, so the application no longer points to it.
    """
    for model in OF_APPLICATIONS:
        QuerySet(model).filter(application__lead=lead).delete()
    mails = Mail.objects.filter(application__lead=lead)
    mails.filter(status=MailStatus.QUEUED).update(status=MailStatus.CANCELLED)
    mails.update(code="", fault="", sent_copy="")
    answers = IdempotencyRecord.objects.filter(partner=lead.partner_id)
    answers.filter(path__contains=str(lead.external_id)).delete()
    for application in lead.applications.only("pk"):
        dead = {f"{name}_digest": secrets.token_hex(32) for name in ("link", "token")}
        texts: dict[str, Any] = {"document_requests": [], "applicant_text": "", "referral": None}
        Application.objects.filter(pk=application.pk).update(**texts, **dead)


def _blank(lead: Lead, *, at: datetime) -> None:
    """Reset each column that is not in KEPT_FIELDS; the email becomes a unique placeholder."""
    blanked = [field for field in Lead._meta.concrete_fields if field.name not in KEPT_FIELDS]
    for field in blanked:
        setattr(lead, field.attname, field.get_default())
    lead.email = f"erased-{uuid7()}@erased.invalid"
    lead.erased_at = at
    lead.save(update_fields=[*(field.name for field in blanked), "erased_at"])


def _delete_files(names: Sequence[str]) -> None:
    """Delete the files of deleted rows; the next sweep finds files that are left."""
    for name in names:
        try:
            storages["documents"].delete(name)
        except Exception:
            logger.exception("A file of an erased lead is left for the next sweep.")
