"""Owner parts: the data that an invited owner fills in and signs for themselves."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from onboarding.choices import InvitationStatus, LegalText, Supplier
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Event, Owner, OwnerInvitation
from onboarding.queries import evidence, fixed_rows
from onboarding.queries.leads import list_owners
from onboarding.queries.requirements import list_missing_of_part
from onboarding.services.events import history
from onboarding.services.events.history import OWNER
from onboarding.services.leads import drafts, form_drafts, signed_records, submissions
from onboarding.services.leads.drafts import NotYourPart, Saved, Values
from onboarding.services.leads.submissions import NOWHERE, ChangedMeanwhile, Incomplete, Origin
from onboarding.services.mails import outbox

TEXTS = (LegalText.ELECTRONIC_RECORDS, LegalText.PRIVACY_NOTICE)


def save_part(
    application: Application,
    owner: Owner,
    values: Values,
    *,
    seen: str,
    at: datetime,
    confirmed: Mapping[str, str] = drafts.NOTHING,
) -> Saved:
    """Save values that the owner filled in, except values changed elsewhere.

    `values`, `seen` and `confirmed` are as in `drafts.save_lead`. Raises: LeadLocked, Invalid,
    Owner.DoesNotExist, NotYourPart if the owner was not invited or has completed the part.
    """
    return drafts.save_owner(
        application,
        str(owner.external_id),
        values,
        by=Supplier.OWNER,
        seen=seen,
        at=at,
        confirmed=confirmed,
    )


def state_of(owner: Owner) -> str:
    """Return a version of the owner's answers, to compare with the version that was shown.

    Each saved form is a new version: a digest of the answers would tell whether a personal number
    that is typed is the stored one.
    """
    changes = Event.objects.filter(lead=owner.lead_id, type=EventType.CHANGED)
    of_owner = changes.filter(details__ubo_id=str(owner.external_id))
    return str(of_owner.order_by("-number").values_list("number", flat=True).first() or 0)


def require_signable(
    owner: Owner, *, signed_name: str, agreed: Mapping[LegalText, str], language: str, seen: str
) -> str:
    """Check the owner's signature and return the signed name with single spaces.

    Raises: Incomplete, ChangedMeanwhile, NotAgreed, TextsChanged, NotAName, AnotherName.
    """
    if missing := list_missing_of_part(owner):
        raise Incomplete(missing)
    if seen != state_of(owner):
        raise ChangedMeanwhile
    submissions.require_agreement(TEXTS, agreed, language)
    name = " ".join(signed_name.split())
    submissions.require_own_name(name, owner)
    return name


@transaction.atomic
def complete(
    application: Application,
    owner: Owner,
    *,
    signed_name: str,
    agreed: Mapping[LegalText, str],
    language: str,
    seen: str,
    at: datetime,
    origin: Origin = NOWHERE,
) -> None:
    """Save the owner's consents and complete the owner's part, once even if called concurrently.

    `agreed` maps each of TEXTS that the owner ticked to the version that was shown. `seen` is the
    value of `state_of` when the answers were shown: `require_signable` refuses changed answers.
    Raises: LeadLocked, Owner.DoesNotExist, NotYourPart, and the exceptions of `require_signable`.
    """
    locked = drafts.lock_editable(application)
    owner = drafts.pick(list_owners(locked.lead), str(owner.external_id))
    if not owner.is_waited_for:
        raise NotYourPart
    name = require_signable(
        owner, signed_name=signed_name, agreed=agreed, language=language, seen=seen
    )
    signed = {
        "answers_digest": evidence.compute_answers_digest([owner]),
        "answers_version": evidence.get_answers_version(),
    }
    consents = submissions.write_consents(
        TEXTS,
        agreed,
        language,
        application=locked,
        ubo_id=owner.external_id,
        signed_name=name,
        agreed_at=at,
        **signed,
        **origin.facts,
    )
    record = signed_records.compose_part(locked, owner, consents, language=language)
    record.save()
    completed = {"status": InvitationStatus.COMPLETED, "completed_at": at}
    OwnerInvitation.objects.filter(owner=owner).update(**completed)
    form_drafts.discard(locked, form_drafts.part_page(owner.external_id))
    history.record(
        locked,
        EventType.OWNER_COMPLETED,
        by=OWNER,
        at=at,
        ubo_id=str(owner.external_id),
        texts={text.value: agreed[text] for text in TEXTS},
        language=language,
        **signed,
        record_digest=record.digest,
        **fixed_rows.fix(*consents),
    )
    outbox.queue(MailKind.OWNER_SIGNED, application=locked, owner=owner, language=language, at=at)
