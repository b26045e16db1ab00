"""Firms of accountants: people who are invited, join, become managers and are removed.

Each function locks the firm before its people: of two managers who remove each other at once, one
stays. The lock does not hold up sign-ups, which refer to the firm. The change of an accountant is
announced before any lock, because the record feed locks its records before other rows.
"""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction

from banking.choices import AccessStatus, FeedResult
from banking.models import Accountant, AccountantInvitation, Firm, FirmDeparture, User
from banking.models.accountants import has_status
from banking.queries.accountants import list_terms
from banking.services import accountant_invitations, feed_changes
from banking.services.accountant_invitations import (
    HasAccess,
    InvitationClosed,
    SentInvitation,
    TermsChanged,
)


class NotManager(PermissionDenied):
    """The accountant does not manage the firm, or does so no longer."""


class LastManager(Exception):
    """Nobody else who can sign in manages the firm."""


class HasFirm(Exception):
    """The accountant's own firm has colleagues or clients."""


def may_manage(accountant: Accountant) -> bool:
    """Return whether an accountant may invite and remove people of the firm.

    Managers may, and anybody in a firm without a manager who can sign in.
    """
    return accountant.is_manager or not accountant.firm.has_manager()


@transaction.atomic
def invite(by: Accountant, *, email: str, at: datetime) -> SentInvitation:
    """Save an invitation of a colleague, which the caller mails.

    Raises: NotManager, OwnAddress, AlreadyInvited; HasAccess if the address is of a person of the
    firm.
    """
    firm = _lock_managed(by)
    if firm.people.filter(user__email=email.strip().lower()).exists():
        raise HasAccess
    new, pending = AccountantInvitation(firm=firm, email=email), firm.invitations.pending()
    return accountant_invitations.send_new(new, pending, by=by.user, at=at)


@transaction.atomic
def join(accountant: Accountant, external_id: UUID, *, at: datetime) -> Firm:
    """Let an accountant join the firm that invites them, named by the id of the invitation.

    The accountant becomes no manager of it. Raises: InvitationClosed; HasFirm if the accountant's
    own firm has other people, or clients, whose owners did not agree that the new firm reads them.
    """
    feed_changes.announce("accountants", [accountant], FeedResult.UPDATED, at=at)
    own = Firm.objects.select_for_update(of=("self",), no_key=True).get(pk=accountant.firm_id)
    invitations = AccountantInvitation.objects.select_for_update(of=("self",))
    theirs = invitations.open(at=at).filter(email=accountant.user.email, firm__isnull=False)
    invitation = theirs.filter(external_id=external_id).first()
    if invitation is None or invitation.firm is None:
        raise InvitationClosed
    live = own.accesses.exclude(has_status(AccessStatus.REVOKED, at=at))
    if own.people.exclude(pk=accountant.pk).exists() or live.exists():
        raise HasFirm
    invitation.accepted_at = at
    invitation.save(update_fields=["accepted_at"])
    _move(accountant, invitation.firm, invitation=invitation)
    return invitation.firm


@transaction.atomic
def make_manager(person: Accountant, *, by: Accountant) -> None:
    """Let a colleague manage the firm, too. Raises: NotManager, Accountant.DoesNotExist."""
    colleague = _lock_managed(by).people.get(pk=person.pk)
    colleague.is_manager = True
    colleague.save(update_fields=["is_manager"])


@transaction.atomic
def remove(person: Accountant, *, by: Accountant, at: datetime) -> None:
    """Move a person from the firm into a new firm of their own, and end their sessions.

    Pending accesses by owners' invitations to the person move with them. Open invitations that the
    person sent to colleagues are withdrawn. Records the departure.
    Raises: NotManager, LastManager, Accountant.DoesNotExist.
    """
    feed_changes.announce("accountants", [person], FeedResult.UPDATED, at=at)
    firm = _lock_managed(by)
    leaving = firm.people.select_related("user").get(pk=person.pk)
    if leaving == by and not firm.has_manager(without=by.pk):
        raise LastManager
    own = Firm.objects.create(name=leaving.user.get_full_name() or leaving.user.email)
    waiting = firm.accesses.filter(status=AccessStatus.PENDING_TERMS, accountant=leaving)
    waiting.exclude(invitation=None).update(firm=own)
    firm.invitations.pending().filter(invited_by=leaving.user).update(withdrawn_at=at)
    _move(leaving, own, is_manager=True)
    User.objects.filter(pk=leaving.user_id).update(sessions_ended_at=at)
    FirmDeparture.objects.create(firm=firm, accountant=leaving, removed_by=by.user, removed_at=at)


def accept_terms(accountant: Accountant, *, shown: Iterable[UUID], at: datetime) -> None:
    """Record that an accountant accepted the terms in force for themselves.

    Raises: TermsChanged if these are not the terms with the external ids `shown`.
    """
    if {one.external_id for one in list_terms(at=at)} != {*shown}:
        raise TermsChanged
    waiting = Accountant.objects.filter(pk=accountant.pk, terms_accepted_at=None)
    waiting.update(terms_accepted_at=at)


def _move(
    accountant: Accountant,
    firm: Firm,
    *,
    is_manager: bool = False,
    invitation: AccountantInvitation | None = None,
) -> None:
    accountant.firm, accountant.is_manager, accountant.invitation = firm, is_manager, invitation
    accountant.save(update_fields=["firm", "is_manager", "invitation"])


def _lock_managed(by: Accountant) -> Firm:
    """Lock the firm of an accountant who may manage it, and read the accountant anew.

    Raises: NotManager, also if the accountant was removed meanwhile.
    """
    firm = Firm.objects.select_for_update(of=("self",), no_key=True).get(pk=by.firm_id)
    by.refresh_from_db(fields=["firm", "is_manager"])
    if by.firm_id != firm.pk or not may_manage(by):
        raise NotManager
    return firm
