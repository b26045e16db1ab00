"""Proposals: decisions made by one person, or proposed and then made by a second person.

The decision policy says who decides and on which evidence (`onboarding.queries.decision_policy`).
"""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from banking.services import second_person
from onboarding.business_hours import NEW_YORK
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason, NotificationKind, ProposalKind, Role
from onboarding.choices import ProposalStatus as Outcome
from onboarding.event_types import EventType
from onboarding.models import Application, Document, Proposal
from onboarding.queries import evidence, fixed_rows
from onboarding.queries.decision_policy import APPROVALS, Needs, get_needs
from onboarding.queries.documents import list_unopened
from onboarding.queries.quality_checks import describe_draw
from onboarding.queries.staff import REVIEW
from onboarding.services.applications.lifecycle import InvalidMove
from onboarding.services.documents import case_documents
from onboarding.services.events import history
from onboarding.services.events.history import Actor, History
from onboarding.services.notifications import notify
from onboarding.services.reviews import (
    approval_requirements,
    cases,
    decision_policy,
    decisions,
    quality_checks,
)
from onboarding.services.reviews.approval_requirements import DocumentsUnopened
from onboarding.services.reviews.cases import Incomplete

LEADS_TO = {
    ProposalKind.APPROVE: Status.APPROVED,
    ProposalKind.APPROVE_TEMPORARILY: Status.APPROVED_TEMPORARY,
    ProposalKind.DENY: Status.DENIED,
    ProposalKind.REOPEN: Status.CREATED,
}
LONGEST_NOTE = 500
DIFFERS = "The evidence has changed."
POLICY_CHANGED = "The decision policy was changed and demands something else of this decision."
PROPOSER_LEFT = "The proposer no longer has the permission."


class OwnProposal(StepRefused):
    """The user who made a proposal cannot confirm or refuse it."""

    message = "You made this proposal. Someone else must review it."


class NotOwnProposal(StepRefused):
    """Only the user who made a proposal can withdraw it."""

    message = "Someone else made this proposal. You can reject it, but not withdraw it."


class ProposalVoid(StepRefused):
    """The evidence, the policy or the proposer's permission has changed since the proposal."""

    message = "Something has changed since this was proposed, so it is void."


class ProposalSettled(StepRefused):
    """The proposal is no longer open."""

    message = "This proposal has already been settled."


class ProposalOpen(StepRefused):
    """Another proposal waits for its second person."""

    message = "There is an open proposal. It must be confirmed, rejected or withdrawn first."


def may_lead_to(application: Application, kind: ProposalKind) -> bool:
    """Return whether staff may make the decision in the application's status."""
    if kind is ProposalKind.REOPEN:
        return application.is_current and application.status == Status.DENIED
    source = Status(application.status)
    return application.is_current and Role.REVIEWER in source.roles_moving_to(LEADS_TO[kind])


@transaction.atomic
def decide(
    application: Application,
    kind: ProposalKind,
    *,
    reasons: Sequence[DenialReason] = (),
    internal_text: str,
    applicant_text: str = "",
    expiration_date: date | None = None,
    accepting: Collection[Document] = (),
    shown_note: int | None = None,
    by: User,
    at: datetime,
) -> Proposal | None:
    """Make a decision, or propose it if it needs a second person.

    Without an `applicant_text` a denied applicant reads the text of the reasons. Documents in
    `accepting`, which the user has opened, are accepted first. `shown_note` is that of
    `cases.require_notes_read`.
    Shape: the proposal; None if the decision was made.
    Raises: AlreadyDecided, NotClaimed, InvalidMove, NotesUnread, Incomplete, ProposalOpen,
    ChecksOutdated, HitsOpen, ChecksOpen, DocumentsMissing, DocumentsUnscanned, DocumentsUnopened,
    NotReviewable, EvidenceLacking, NotEntitled, Superseded, AccountTooNew, AccountStillOpen.
    """
    kind = ProposalKind(kind)
    locked = cases.lock(application)
    if not may_lead_to(locked, kind):
        decisions.require_undecided(locked)
    cases.require_claim(locked, by=by, at=at)
    if not may_lead_to(locked, kind):
        raise InvalidMove(source=locked.status, target=LEADS_TO[kind])
    if locked.proposals.filter(status=Outcome.OPEN).exists():
        raise ProposalOpen
    cases.require_notes_read(locked, shown_note, by=by)
    if accepting:
        locked = _accept(locked, accepting, by=by, at=at)
    needs = get_needs(locked, kind)
    proposal = Proposal(
        application=locked,
        kind=kind,
        reason_codes=[DenialReason(reason).value for reason in reasons],
        internal_text=internal_text.strip(),
        applicant_text=applicant_text.strip(),
        expiration_date=expiration_date,
        rule=needs.reference,
        proposed_by=by,
        proposed_at=at,
    )
    needs_second = needs.second_person_reasons
    decision_policy.require_entitled(needs, by=by)
    decision_policy.require_reason(needs, proposal.internal_text)
    _require_words(proposal, needs_second, at)
    approval_requirements.require_current_checks(proposal)
    approval_requirements.require_cleared_hits(proposal)
    approval_requirements.require_ticks(proposal)
    approval_requirements.require_documents(proposal)
    approval_requirements.require_opened(proposal, by=[by])
    decision_policy.require_evidence(needs, locked)
    proposal.evidence_digest = evidence.compute_digest(locked)
    if not needs_second:
        _decide_alone(proposal, needs, by=by, at=at)
        return None
    second_person.require_wait_over(by, at=at)
    proposal.save()
    details = {**_named(proposal), "evidence_digest": proposal.evidence_digest, **needs.named}
    details |= fixed_rows.fix(proposal)
    history.record(locked, EventType.PROPOSED, by=cases.actor(by), at=at, **details)
    return proposal


def confirm(
    proposal: Proposal, *, shown_note: int | None = None, by: User, at: datetime
) -> Proposal:
    """Make the decision that another user has proposed.

    If the evidence or the demands of the policy have changed, or the proposer lost the account or
    the permission, the proposal is voided. Do not call it within a transaction: the exception would
    roll that back.
    `shown_note` is that of `cases.require_notes_read`.
    Raises: OwnProposal, Incomplete, NotesUnread, ChecksOutdated, HitsOpen, DocumentsUnopened,
    EvidenceLacking, ProposalVoid, ProposalSettled, Superseded, AccountTooNew, CreatedByOther,
    CreatedBySame, AccountStillOpen.
    """
    with transaction.atomic(durable=True):
        locked, mine = _lock_open(proposal)
        if mine.proposed_by_id == by.pk:
            raise OwnProposal
        cases.require_notes_read(locked, shown_note, by=by)
        second_person.require_two_people(mine.proposed_by, by, at=at)
        _require_words(mine, [], at)  # the end date may have passed meanwhile
        needs = get_needs(locked, ProposalKind(mine.kind))
        cause = _why_void(mine, locked, needs)
        if cause:
            log = History(locked.lead, by=cases.actor(by), at=at)
            log.void_proposal(locked, cause=cause)
            log.save_with_lead()
        else:
            approval_requirements.require_current_checks(mine)
            approval_requirements.require_cleared_hits(mine)
            approval_requirements.require_opened(mine, by=[mine.proposed_by, by])
            decision_policy.require_evidence(needs, locked)
            _settle(mine, Outcome.CONFIRMED, by=by, at=at)
            details = {**_settled(mine), "evidence_digest": mine.evidence_digest, **needs.named}
            _carry_out(mine, by=cases.actor(by), at=at, **details)
            _notify(mine, NotificationKind.PROPOSAL_CONFIRMED, by=by, at=at)
    if cause:
        raise ProposalVoid
    return mine


def _why_void(proposal: Proposal, application: Application, needs: Needs) -> str:
    """Return why a proposal cannot be confirmed any more; empty if it can."""
    proposer = proposal.proposed_by
    may_still = second_person.may_still(proposer, REVIEW)
    if not (may_still and decision_policy.is_entitled(needs, by=proposer)):
        return PROPOSER_LEFT
    if proposal.evidence_digest not in evidence.compute_digests(application):
        return DIFFERS
    return "" if needs.are_those_of(proposal.rule) else POLICY_CHANGED


@transaction.atomic
def refuse(proposal: Proposal, *, note: str, by: User, at: datetime) -> Proposal:
    """Refuse the proposal of another user, with a reason.

    Raises: OwnProposal, Incomplete, ProposalVoid, ProposalSettled, Superseded.
    """
    if not 0 < len(note.strip()) <= LONGEST_NOTE:
        raise Incomplete(f"Enter a reason of at most {LONGEST_NOTE} characters.")
    locked, mine = _lock_open(proposal)
    if mine.proposed_by_id == by.pk:
        raise OwnProposal
    _settle(mine, Outcome.REFUSED, by=by, at=at, note=note.strip())
    who = cases.actor(by)
    history.record(locked, EventType.PROPOSAL_REFUSED, by=who, at=at, **_settled(mine))
    _notify(mine, NotificationKind.PROPOSAL_REFUSED, by=by, at=at)
    return mine


@transaction.atomic
def withdraw(proposal: Proposal, *, by: User, at: datetime) -> Proposal:
    """Withdraw the user's own proposal.

    Raises: NotOwnProposal, ProposalVoid, ProposalSettled, Superseded.
    """
    locked, mine = _lock_open(proposal)
    if mine.proposed_by_id != by.pk:
        raise NotOwnProposal
    _settle(mine, Outcome.WITHDRAWN, by=by, at=at)
    who = cases.actor(by)
    history.record(locked, EventType.PROPOSAL_WITHDRAWN, by=who, at=at, **_settled(mine))
    return mine


def _notify(proposal: Proposal, kind: NotificationKind, *, by: User, at: datetime) -> None:
    notify(kind, [proposal.proposed_by], application=proposal.application, by=by, at=at)


def _lock_open(proposal: Proposal) -> tuple[Application, Proposal]:
    """Lock the application; return it and its open proposal, read again.

    Raises: ProposalVoid, ProposalSettled, Superseded.
    """
    locked = cases.lock(proposal.application)
    mine = Proposal.objects.select_related("proposed_by").get(pk=proposal.pk)
    if mine.status == Outcome.VOIDED:
        raise ProposalVoid
    if mine.status != Outcome.OPEN:
        raise ProposalSettled
    mine.application = locked
    return locked, mine


def _settle(
    proposal: Proposal, outcome: Outcome, *, by: User, at: datetime, note: str = ""
) -> None:
    values = {"status": outcome, "settled_by": by, "settled_at": at, "settled_note": note}
    still_open = Proposal.objects.filter(pk=proposal.pk, status=Outcome.OPEN)
    if not still_open.update(**values):
        raise ProposalSettled
    for name, value in values.items():
        setattr(proposal, name, value)


def _decide_alone(proposal: Proposal, needs: Needs, *, by: User, at: datetime) -> None:
    """Make a decision without a second person, and save its internal text as a note.

    An approval may be drawn for a quality check by a colleague.
    """
    application = proposal.application
    details = {"evidence_digest": proposal.evidence_digest, **needs.named}
    if proposal.kind in APPROVALS:
        details |= describe_draw(needs.rule.sampled_percent)
    if proposal.internal_text:
        note = cases.write_note(application, proposal.internal_text, by=by, at=at)
        details["note_id"] = str(note.external_id)
    _carry_out(proposal, by=cases.actor(by), at=at, **details)
    if proposal.kind in APPROVALS and needs.rule.sampled_percent:
        quality_checks.choose(application, by=by, at=at)


def _carry_out(proposal: Proposal, *, by: Actor, at: datetime, **details: Any) -> None:
    application, kind = proposal.application, ProposalKind(proposal.kind)
    if kind is ProposalKind.APPROVE:
        decisions.approve(application, by=by, at=at, **details)
    elif kind is ProposalKind.APPROVE_TEMPORARILY:
        until = proposal.expiration_date
        decisions.approve_temporarily(application, until=until, by=by, at=at, **details)
    elif kind is ProposalKind.DENY:
        reasons = [DenialReason(code) for code in proposal.reason_codes]
        text = proposal.applicant_text
        decisions.deny(application, reasons=reasons, applicant_text=text, by=by, at=at, **details)
    else:
        decisions.reopen(application, by=by, at=at, **details)


def _named(proposal: Proposal) -> dict[str, str]:
    return {"proposal_id": str(proposal.external_id), "kind": str(proposal.kind)}


def _settled(proposal: Proposal) -> dict[str, str]:
    return {**_named(proposal), **fixed_rows.fix_settled(proposal)}


def _accept(
    application: Application, documents: Collection[Document], *, by: User, at: datetime
) -> Application:
    """Accept documents that the user has opened, and return the application, read again.

    Raises: DocumentsUnopened, NotReviewable.
    """
    mine = application.lead.documents.filter(pk__in=[one.pk for one in documents]).order_by("pk")
    if unopened := list_unopened(mine, by=[by]):
        raise DocumentsUnopened(unopened)
    for document in mine:
        case_documents.accept(document, by=by, at=at)
    return cases.lock(application)


def _require_words(proposal: Proposal, needs_second: list[str], at: datetime) -> None:
    """Refuse a denial without reason codes, or a proposal without an internal text if it needs one.

    `needs_second` has the causes for a second person, who reads the internal text. A temporary
    approval must end after today, in New York. Raises: Incomplete.
    """
    if proposal.kind == ProposalKind.DENY and not proposal.reason_codes:
        raise Incomplete("Choose a reason. The partner will receive it.")
    if needs_second and not proposal.internal_text:
        raise Incomplete("Enter a reason. The second person and auditors will read it.")
    ends, today = proposal.expiration_date, at.astimezone(NEW_YORK).date()
    if proposal.kind == ProposalKind.APPROVE_TEMPORARILY and ends and ends <= today:
        raise Incomplete("Choose a day after today for the end of the temporary approval.")
