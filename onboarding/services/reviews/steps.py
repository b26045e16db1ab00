"""Steps: the actions that staff may take about an application."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import IdentityStatus, ProposalKind
from onboarding.models import Application, Owner, Proposal
from onboarding.queries.checks import list_weighed_checks, pick_open_items
from onboarding.queries.decision_policy import APPROVALS, Needs, list_needs
from onboarding.queries.escalations import find_open, may_answer
from onboarding.queries.reviews import open_proposals
from onboarding.queries.staff import REVIEW
from onboarding.services.checks import rechecks
from onboarding.services.reviews import assignments, cases, proposals


@dataclass(frozen=True)
class Move:
    """A step that a member of staff may take now. `needs_second` has the reasons for two people.

    `needs` has the demands of the decision policy; None for a step that is no decision.
    """

    name: str
    label: str
    needs_second: list[str] = field(default_factory=list)
    needs: Needs | None = None


def list_moves(application: Application, *, user: User, at: datetime) -> list[Move]:
    """Return the steps that a user may take about an application now, in the order of the buttons.

    They follow from permissions, status, claim, open proposal and open question; there are none for
    a past attempt.
    """
    if not application.is_current:
        return []
    waiting = open_proposals().filter(application=application).first()
    moves = [*_claim_moves(application, user, at)]
    if waiting:
        moves += _proposal_moves(waiting, user)
    asked = find_open(application)
    if asked and user.has_perm(REVIEW) and may_answer(asked, by=user):
        moves.append(Move("answer", "Answer the question"))
    if cases.has_claim(application, by=user, at=at):
        if user.has_perm(REVIEW) and application.status in cases.CLAIMABLE and not asked:
            moves.append(Move("escalate", "Escalate"))
        if user.has_perm(REVIEW):
            moves += _review_moves(application)
        if user.has_perm("onboarding.decide_application") and not waiting:
            moves += _decision_moves(application, user)
    return moves


def _claim_moves(application: Application, user: User, at: datetime) -> Iterator[Move]:
    if application.status not in cases.CLAIMABLE:
        return
    if user.has_perm(REVIEW):
        until = application.claimed_until
        if cases.has_claim(application, by=user, at=at):
            yield Move("release", "Release")
        elif until is None or until <= at or application.claimed_by_id == user.pk:
            yield Move("claim", "Claim")
    if assignments.may_hand_over(application, by=user):
        yield Move("reassign", "Hand over")


def _proposal_moves(proposal: Proposal, user: User) -> Iterator[Move]:
    if proposal.proposed_by_id == user.pk:
        yield Move("withdraw", "Withdraw the proposal")
    elif user.has_perm("onboarding.confirm_application"):
        yield Move("confirm", "Confirm the proposal")
        yield Move("refuse", "Reject the proposal")


def _review_moves(application: Application) -> Iterator[Move]:
    if application.status == Status.IN_REVIEW:
        yield Move("request_documents", "Ask for documents")
        yield Move("request_identity", "Ask for proof of identity")
        if _awaits_verification(application):
            yield Move("verify_identities", "Mark the identities as verified")
    if application.status in rechecks.OPEN:
        yield Move("rerun_checks", "Run the checks again")


def _awaits_verification(application: Application) -> bool:
    """Return whether the identity of the applicant or of an owner is not verified yet."""
    if application.lead.identity_status != IdentityStatus.VERIFIED:
        return True
    unverified = ~Q(identity_status=IdentityStatus.VERIFIED)
    return Owner.objects.filter(unverified, lead=application.lead_id).exists()


def _decision_moves(application: Application, user: User) -> Iterator[Move]:
    """Yield the decisions that the status and the policy allow the user now."""
    kinds = [kind for kind in ProposalKind if proposals.may_lead_to(application, kind)]
    is_ready, checks = True, None
    if not APPROVALS.isdisjoint(kinds):
        checks = list_weighed_checks(application)
        is_ready = not pick_open_items(checks) and not rechecks.is_outdated(application)
    for kind, needs in list_needs(application, kinds, checks=checks).items():
        is_blocked = kind in APPROVALS and (needs.has_open_hits or not is_ready)
        if not is_blocked and user.has_perm(needs.permission):
            yield Move(kind.value.lower(), str(kind.label), needs.second_person_reasons, needs)
