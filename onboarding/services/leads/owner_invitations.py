"""Owner invitations: owners are asked for their own part, reminded, or relieved of it."""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from foundation.throttling import rate_limits
from onboarding.choices import DocumentStatus, InvitationStatus, StatusGroup, Supplier
from onboarding.errors import ErrorCode, Fault, Invalid, Refused
from onboarding.event_types import EventType, MailKind
from onboarding.models import (
    AccessCode,
    Application,
    FlowSession,
    FormDraft,
    Owner,
    OwnerInvitation,
    OwnerRecord,
    Partner,
)
from onboarding.names import wire
from onboarding.queries.applications import get_reading_language
from onboarding.queries.leads import list_owners, lock_application, lock_current_application
from onboarding.queries.owner_invitations import find_invitation
from onboarding.services.access import links
from onboarding.services.applications.attempts import require_open
from onboarding.services.events import history
from onboarding.services.events.history import (
    APPLICANT,
    OWNER,
    PARTNER,
    Actor,
    record_change,
)
from onboarding.services.leads import drafts, form_drafts
from onboarding.services.leads.drafts import CONTACT, NotYourPart, Saved, Values
from onboarding.services.leads.merging import columns_of, merge_into
from onboarding.services.leads.owners import STATED
from onboarding.services.mails import outbox

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
RESTARTED = {"invited_at", "reminded_at", "remind_at", "reminders_sent"}
SET_ASIDE = "The applicant named another address, or has taken over this owner's part."
LINK = {"link_version", "link_digest", "link_expires_at"}


class OwnerNotFound(Refused):
    """The lead has no owner with the id."""

    code = ErrorCode.OWNER_NOT_FOUND


class TooManyMails(Exception):
    """OWNER_MAILS_PER_DAY links were mailed to owners of the lead within a day."""


@transaction.atomic
def invite(
    application: Application, owner_id: str, *, language: str, at: datetime
) -> OwnerInvitation:
    """Ask an owner by mail for their own part, unless they were asked and have not completed it.

    An owner who has completed their part, or whose part the applicant took over, is asked again,
    under a new link.
    Raises: LeadLocked, Owner.DoesNotExist, Invalid if the owner has no email or that of the
    applicant, TooManyMails.
    """
    locked = drafts.lock_editable(application)
    owner = drafts.pick(list_owners(locked.lead), owner_id)
    if owner.is_waited_for:
        return owner.invitation
    invitation = _invite(locked, owner, language=language, by=APPLICANT, at=at)
    _mail(MailKind.OWNER_ASKED, locked, invitation, at=at)
    return invitation


@transaction.atomic
def save_contact(
    application: Application, owner_id: str, values: Values, *, seen: str, at: datetime
) -> Saved:
    """Save the values that the applicant gives about an invited owner: share, title, role, contact.

    Name and email are accepted only until the owner has completed their part. A new email gets a
    new link by mail; the old link, its sessions and its codes end, and the values that were filled
    in under it are deleted, since another person may read the new mailbox.
    Raises: LeadLocked, Owner.DoesNotExist, NotYourPart for other values, Invalid, TooManyMails.
    """
    locked = drafts.lock_editable(application)
    before = drafts.pick(list_owners(locked.lead), owner_id).email
    saved = drafts.save_owner(locked, owner_id, values, seen=seen, at=at)
    locked = drafts.lock_editable(application)  # the lead's chain of events has grown
    owner = drafts.pick(list_owners(locked.lead), owner_id)
    if owner.is_waited_for and owner.email != before:
        _require_address(locked, owner)
        _delete_own_values(owner)
        _set_proofs_aside(locked, owner, at=at)
        _end_access(owner)
        renew(locked, owner.invitation, by=APPLICANT, at=at)
        _restart_reminders(owner.invitation, at=at)
        owner.invitation.save(update_fields=RESTARTED)
        _mail(MailKind.OWNER_ASKED, locked, owner.invitation, at=at)
    return saved


@transaction.atomic
def remind(application: Application, owner_id: str, *, at: datetime) -> None:
    """Mail the link again to an owner who has not completed their part; replace an expired link.

    Raises: LeadLocked, Owner.DoesNotExist, NotYourPart if the owner was not invited or has
    completed their part, TooManyMails.
    """
    locked = drafts.lock_editable(application)
    owner = drafts.pick(list_owners(locked.lead), owner_id)
    if not owner.is_waited_for:
        raise NotYourPart
    invitation = owner.invitation
    if invitation.link_expires_at <= at:
        renew(locked, invitation, by=APPLICANT, at=at)
    invitation.reminded_at = at
    invitation.save(update_fields=["reminded_at"])
    _record(locked, EventType.OWNER_REMINDED, owner, by=APPLICANT, at=at)
    _mail(MailKind.OWNER_REMINDER, locked, invitation, at=at)


@transaction.atomic
def take_over(application: Application, owner_id: str, *, at: datetime) -> None:
    """Let the applicant fill in an invited owner's part; delete the values from the owner.

    The owner's link, sessions and codes end. Consents that the owner gave stay on record. Does
    nothing if the part is the applicant's already. Raises: LeadLocked, Owner.DoesNotExist.
    """
    locked = drafts.lock_editable(application)
    owner = drafts.pick(list_owners(locked.lead), owner_id)
    if not owner.has_own_part:
        return
    _delete_own_values(owner)
    _set_proofs_aside(locked, owner, at=at)
    invitation = owner.invitation
    invitation.status, invitation.completed_at = InvitationStatus.TAKEN_OVER, None
    invitation.save(update_fields=["status", "completed_at"])
    _end_access(owner)
    _record(locked, EventType.OWNER_TAKEN_OVER, owner, by=APPLICANT, at=at)
    record_change(locked, [wire("owners")], by=APPLICANT, at=at, ubo_id=owner_id)


def request_link(link: str, *, at: datetime) -> None:
    """Mail an owner their current link, asked for with an expired or a replaced link.

    Unknown links, closed parts and requests over CODES_PER_HOUR are silently ignored. These mails
    do not count against the limit of the mails that the applicant may send to owners, which a
    stranger with a link could otherwise use up.
    """
    with suppress(OwnerInvitation.DoesNotExist):
        invitation = find_invitation(link)
        subject = f"owner-links:{invitation.owner.external_id}"
        [asked] = rate_limits.count([subject], at=at, window=HOUR)
        if asked.count <= settings.CODES_PER_HOUR:
            _mail_link(invitation, at=at)


@transaction.atomic
def _mail_link(invitation: OwnerInvitation, *, at: datetime) -> None:
    """Mail an owner their link, a new link if the link has expired.

    Does nothing if the owner has no part of their own any more, or the application has ended.
    """
    locked = lock_application(lead=invitation.owner.lead_id)
    owners = list_owners(locked.lead) if locked else []
    owner = next((one for one in owners if one.pk == invitation.owner_id), None)
    if locked is None or owner is None or not owner.has_own_part:
        return
    if locked.group is StatusGroup.CLOSED:
        return
    if owner.invitation.link_expires_at <= at:
        renew(locked, owner.invitation, by=OWNER, at=at)
    _queue(MailKind.OWNER_LINK, locked, owner.invitation, at=at)


@transaction.atomic
def open_owner_access(
    *, partner: Partner, customer_id: str, ubo_id: str, rotates_link: bool, at: datetime
) -> tuple[Application, OwnerInvitation]:
    """Return the invitation of an owner, whose link the partner passes on, and the application.

    An owner without a part of their own is invited, and gets the link by mail if the partner lets
    the bank mail links. For other owners the call extends the link or, with `rotates_link`,
    replaces it.
    Raises: LeadNotFound, ApplicationClosed, OwnerNotFound, LeadLocked for an owner who is not
    invited, after the submission; Invalid if the owner has no email or that of the applicant.
    """
    application = lock_current_application(partner=partner, customer_id=customer_id)
    require_open(application)
    owners = list_owners(application.lead)
    owner = next((one for one in owners if str(one.external_id) == ubo_id.lower()), None)
    if owner is None:
        raise OwnerNotFound
    if not owner.has_own_part:
        drafts.lock_editable(application)
        language = get_reading_language(application)
        invitation = _invite(application, owner, language=language, by=PARTNER, at=at)
        if partner.mails_links:
            with suppress(TooManyMails):
                _mail(MailKind.OWNER_ASKED, application, invitation, at=at)
        return application, invitation
    invitation = owner.invitation
    if rotates_link:
        renew(application, invitation, by=PARTNER, at=at)
    else:
        links.grant_owner(invitation, at=at)
        invitation.save(update_fields=["link_expires_at"])
    return application, invitation


def _invite(
    application: Application, owner: Owner, *, language: str, by: Actor, at: datetime
) -> OwnerInvitation:
    _require_address(application, owner)
    if owner.invitation_status is None:
        invitation = OwnerInvitation(owner=owner, language=language, invited_at=at)
        invitation.remind_at = first_look(at=at)
        links.grant_owner(invitation, at=at)
        invitation.save()
    else:
        invitation = owner.invitation
        renew(application, invitation, by=by, at=at)
        invitation.status, invitation.completed_at = InvitationStatus.INVITED, None
        _restart_reminders(invitation, at=at)
        invitation.save(update_fields={"status", "completed_at", *RESTARTED})
    _record(application, EventType.OWNER_INVITED, owner, by=by, at=at)
    return invitation


def _restart_reminders(invitation: OwnerInvitation, *, at: datetime) -> None:
    """Begin the automatic reminders to an owner again, counted from `at`; does not save."""
    invitation.invited_at, invitation.reminded_at = at, None
    invitation.remind_at, invitation.reminders_sent = first_look(at=at), 0


def first_look(*, at: datetime) -> datetime:
    """Return when the first reminder is due to an owner who is asked at `at`."""
    return at + timedelta(days=settings.OWNER_REMINDER_DAYS[0])


def _require_address(application: Application, owner: Owner) -> None:
    """Require an email of the owner's own: the code that opens the part is mailed to it.

    Raises: Invalid if it is missing, or is the applicant's.
    """
    if not owner.email:
        raise Invalid([Fault(ErrorCode.REQUIRED_FIELD_MISSING, ("email",))])
    if owner.email == application.lead.email:
        raise Invalid([Fault(ErrorCode.DUPLICATE_UBO_EMAIL, ("email",))])


def renew(
    application: Application, invitation: OwnerInvitation, *, by: Actor, at: datetime
) -> None:
    """Replace an owner's link, save it, and end the sessions and codes of the old link.

    Records an event, and mails nothing. The lead must be locked.
    """
    links.replace_owner_link(invitation, application, at=at)
    invitation.save(update_fields=LINK)
    _end_sessions(invitation.owner)
    _record(application, EventType.LINK_REPLACED, invitation.owner, by=by, at=at)


def _delete_own_values(owner: Owner) -> None:
    """Delete the values that the owner filled in, and the records that the owner signed.

    Name, email, share, title and role stay, and so do the owner's consents.
    """
    OwnerRecord.objects.filter(owner=owner).delete()
    own = [name for name, by in owner.supplied_by.items() if by == Supplier.OWNER]
    private = dict.fromkeys(set(own) - STATED - CONTACT)
    if changed := merge_into(owner, private, by=Supplier.APPLICANT):
        owner.save(update_fields=columns_of(changed))


def _set_proofs_aside(application: Application, owner: Owner, *, at: datetime) -> None:
    """Mark the documents that the owner supplied as REPLACED, and write an event for each."""
    sent = owner.documents.filter(supplied_by=Supplier.OWNER)
    for document in sent.exclude(status=DocumentStatus.REPLACED).order_by("pk"):
        document.status, document.status_reason = DocumentStatus.REPLACED, SET_ASIDE
        document.save(update_fields=["status", "status_reason"])
        facts = {"document_id": str(document.external_id), "is_removed": True}
        history.record(application, EventType.DOCUMENT_REPLACED, by=APPLICANT, at=at, **facts)


def _end_access(owner: Owner) -> None:
    _end_sessions(owner)
    page = form_drafts.part_page(owner.external_id)
    FormDraft.objects.filter(application__lead=owner.lead_id, page=page).delete()


def _end_sessions(owner: Owner) -> None:
    FlowSession.objects.filter(owner=owner).delete()
    AccessCode.objects.filter(owner=owner).delete()


def _mail(
    kind: MailKind, application: Application, invitation: OwnerInvitation, *, at: datetime
) -> None:
    """Queue a mail with the link to an owner. Raises: TooManyMails."""
    subject = f"owner-mails:{application.lead.external_id}"
    [sent] = rate_limits.count([subject], at=at, window=DAY)
    if sent.count > settings.OWNER_MAILS_PER_DAY:
        raise TooManyMails
    _queue(kind, application, invitation, at=at)


def _queue(
    kind: MailKind, application: Application, invitation: OwnerInvitation, *, at: datetime
) -> None:
    outbox.queue(
        kind,
        application=application,
        owner=invitation.owner,
        language=invitation.language,
        at=at,
    )


def _record(application: Application, event_type: EventType, owner: Owner, **facts: Any) -> None:
    history.record(application, event_type, ubo_id=str(owner.external_id), **facts)
