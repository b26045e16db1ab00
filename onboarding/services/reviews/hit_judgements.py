"""Hit judgements: verdicts of staff about screening hits; a clearing takes two people.

A confirmed match and an inconclusive finding count at once, and go on blocking an approval; a
confirmed politically exposed person makes the risk high instead. A false positive is a proposal
until a second person has confirmed it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from banking.services import second_person
from onboarding.choices import HitStatus, ProposalStatus
from onboarding.event_types import EventType
from onboarding.models import Application, HitJudgement, ScreeningHit
from onboarding.queries import fixed_rows
from onboarding.queries.screening_hits import digest_evidence
from onboarding.queries.staff import REVIEW
from onboarding.services.reviews.cases import Incomplete
from onboarding.services.reviews.hit_scopes import CaseHits, HitScope, RecordHits

LONGEST_REASON = 500
PROPOSER_LEFT = "The proposer no longer has the permission."
HITS_CHANGED = "The hit or the data of the customer have changed."
Judged = Application | RecordHits  # whose hits are judged: of a case, or of a party of the records
Seen = Mapping[UUID, str]  # the external id of each hit or judgement, and its digest on the page


class HitsChanged(StepRefused):
    """A hit has changed, or was judged by someone else, since the page was shown."""

    message = (
        "A hit has changed since the page was shown, or someone else has judged it. Look again."
    )


class ClearingWaits(StepRefused):
    """A hit has a proposed clearing that waits for a second person."""

    message = "The clearing of a hit waits for a second person. Settle it first."


class OwnClearing(StepRefused):
    """The user who proposed a clearing cannot confirm or refuse it."""

    message = "You proposed this. Someone else must confirm or reject it."


class NotOwnClearing(StepRefused):
    """Only the user who proposed a clearing can withdraw it."""

    message = "Someone else proposed this. You can reject it, but not withdraw it."


class ConfirmedMatch(StepRefused):
    """A confirmed match can only be cleared by two people."""

    message = (
        "A confirmed match cannot become inconclusive. Deny the application, or propose that the "
        "hit is a false positive."
    )


class ClearingVoid(StepRefused):
    """The evidence of a proposed clearing has changed, or its proposer has left."""

    message = "Something has changed since this was proposed, so it is void. Judge the hit again."


@transaction.atomic
def judge(
    of: Judged,
    verdict: HitStatus,
    *,
    hits: Seen,
    reason: str,
    by: User,
    at: datetime,
) -> list[HitJudgement]:
    """Judge hits of a case or of a party of the records, or propose to clear them, all or none.

    FALSE_POSITIVE proposes to clear; other verdicts count at once. `hits` maps the external id of
    each hit to the value of `digest_evidence` on the page, so that a stale page is refused.
    Raises: Incomplete, HitsChanged, ClearingWaits, ConfirmedMatch, Superseded, AccountTooNew.
    """
    _require_words(hits, reason)
    scope = _lock(of)
    judged = _read_hits(scope, hits)
    is_clearing = verdict == HitStatus.FALSE_POSITIVE
    if is_clearing:
        _require_uncleared(judged)
        second_person.require_wait_over(by, at=at)
    _require_verdict_allowed(judged, verdict)
    made = [
        HitJudgement(
            hit=hit,
            verdict=verdict,
            reason=reason.strip(),
            evidence_digest=digest_evidence(hit),
            by=by,
            at=at,
            status=ProposalStatus.OPEN if is_clearing else ProposalStatus.CONFIRMED,
            settled_at=None if is_clearing else at,
        )
        for hit in judged
    ]
    HitJudgement.objects.bulk_create(made)
    scope.touch(at)
    if is_clearing:
        _record(scope, EventType.CLEARING_PROPOSED, made, by=by, at=at)
        return made
    _apply(made)
    _record(scope, EventType.HITS_JUDGED, made, by=by, at=at, verdict=verdict.value)
    scope.settle(at)
    if verdict == HitStatus.CONFIRMED:
        scope.report_match(by=by, at=at)
    return made


def confirm(of: Judged, *, clearings: Sequence[UUID], by: User, at: datetime) -> list[HitJudgement]:
    """Confirm proposed clearings as the second person, all or none.

    If the evidence of one has changed, or its proposer has left, that one is voided and nothing is
    confirmed. Do not call it within a transaction: the exception would roll that back.
    Raises: Incomplete without `clearings`, OwnClearing, ClearingVoid, HitsChanged, Superseded,
    AccountTooNew, CreatedByOther, CreatedBySame.
    """
    with transaction.atomic(durable=True):
        scope, waiting = _lock_open(of, clearings)
        if any(one.by_id == by.pk for one in waiting):
            raise OwnClearing
        for proposer in {one.by_id: one.by for one in waiting}.values():
            second_person.require_two_people(proposer, by, at=at)
        void = [(one, why) for one in waiting if (why := _why_void(one, scope))]
        for one, why in void:
            _settle([one], ProposalStatus.VOIDED, by=None, at=at, note=why)
            _record_end(scope, [one], by=by, at=at)
        if not void:
            _settle(waiting, ProposalStatus.CONFIRMED, by=by, at=at)
            _apply(waiting)
            verdict = HitStatus.FALSE_POSITIVE.value
            _record(scope, EventType.HITS_JUDGED, waiting, by=by, at=at, verdict=verdict)
            scope.settle(at)
    if void:
        raise ClearingVoid
    return waiting


@transaction.atomic
def refuse(of: Judged, *, clearings: Sequence[UUID], reason: str, by: User, at: datetime) -> None:
    """Refuse clearings that another user has proposed, with a reason. The hits do not change.

    Raises: Incomplete, OwnClearing, HitsChanged, Superseded.
    """
    if not _is_reason(reason):
        raise Incomplete(f"Enter a reason of at most {LONGEST_REASON} characters.")
    scope, waiting = _lock_open(of, clearings)
    if any(one.by_id == by.pk for one in waiting):
        raise OwnClearing
    _settle(waiting, ProposalStatus.REFUSED, by=by, at=at, note=reason.strip())
    _record_end(scope, waiting, by=by, at=at)


@transaction.atomic
def withdraw(of: Judged, *, clearings: Sequence[UUID], by: User, at: datetime) -> None:
    """Withdraw clearings that the user has proposed.

    Raises: Incomplete without `clearings`, NotOwnClearing, HitsChanged, Superseded.
    """
    scope, waiting = _lock_open(of, clearings)
    if any(one.by_id != by.pk for one in waiting):
        raise NotOwnClearing
    _settle(waiting, ProposalStatus.WITHDRAWN, by=by, at=at)
    _record_end(scope, waiting, by=by, at=at)


def _is_reason(text: str) -> bool:
    return 0 < len(text.strip()) <= LONGEST_REASON


def _require_words(hits: Seen, reason: str) -> None:
    if not hits:
        raise Incomplete("Choose the hits that you judge.")
    if not _is_reason(reason):
        raise Incomplete(
            f"Enter what you found, in at most {LONGEST_REASON} characters. The second person and "
            "auditors will read it."
        )


def _lock(of: Judged) -> HitScope:
    """Return the scope of the hits, locked. Raises: Superseded."""
    scope: HitScope = CaseHits(of) if isinstance(of, Application) else of
    scope.lock()
    return scope


def _read_hits(scope: HitScope, seen: Seen) -> list[ScreeningHit]:
    """Return current hits of the scope as they were shown. Raises: HitsChanged."""
    current = scope.hits().filter(is_current=True)
    hits = list(current.filter(external_id__in=list(seen)).order_by("pk"))
    unchanged = [hit for hit in hits if seen[hit.external_id] == digest_evidence(hit)]
    if len(unchanged) < len(seen) or not _are_facts_current(scope, hits):
        raise HitsChanged
    return hits


def _are_facts_current(scope: HitScope, hits: Sequence[ScreeningHit]) -> bool:
    """Return whether the parties have the facts that were compared last."""
    return all(
        digests and (not hit.party_digest or hit.party_digest in digests)
        for hit, digests in zip(hits, scope.digests_of(hits), strict=True)
    )


def _require_uncleared(hits: Sequence[ScreeningHit]) -> None:
    if any(hit.status == HitStatus.FALSE_POSITIVE for hit in hits):
        raise Incomplete("Choose only hits that are not cleared yet.")


def _require_verdict_allowed(hits: Sequence[ScreeningHit], verdict: HitStatus) -> None:
    """Refuse to judge while a clearing waits, and to make a confirmed match inconclusive.

    Raises: ClearingWaits, ConfirmedMatch.
    """
    if HitJudgement.objects.filter(hit__in=hits, status=ProposalStatus.OPEN).exists():
        raise ClearingWaits
    is_confirmed = any(hit.status == HitStatus.CONFIRMED for hit in hits)
    if verdict == HitStatus.INCONCLUSIVE and is_confirmed:
        raise ConfirmedMatch


def _lock_open(of: Judged, ids: Sequence[UUID]) -> tuple[HitScope, list[HitJudgement]]:
    """Lock the scope; return its open clearings with these ids. Raises: Incomplete, HitsChanged."""
    if not ids:
        raise Incomplete("Choose the proposals that you settle.")
    scope = _lock(of)
    waiting = HitJudgement.objects.filter(
        hit__in=scope.hits(), status=ProposalStatus.OPEN, external_id__in=ids
    )
    found = list(waiting.select_related("hit", "by").order_by("pk"))
    if len(found) < len(set(ids)):
        raise HitsChanged
    return scope, found


def _why_void(clearing: HitJudgement, scope: HitScope) -> str:
    """Return why a clearing cannot be confirmed any more; empty if it can."""
    if not second_person.may_still(clearing.by, REVIEW):
        return PROPOSER_LEFT
    is_same = clearing.evidence_digest == digest_evidence(clearing.hit)
    is_current = is_same and clearing.hit.is_current
    return "" if is_current and _are_facts_current(scope, [clearing.hit]) else HITS_CHANGED


def _settle(
    clearings: Sequence[HitJudgement],
    outcome: ProposalStatus,
    *,
    by: User | None,
    at: datetime,
    note: str = "",
) -> None:
    values = {"status": outcome, "settled_by": by, "settled_at": at, "settled_note": note}
    HitJudgement.objects.filter(pk__in=[one.pk for one in clearings]).update(**values)
    for one in clearings:
        for name, value in values.items():
            setattr(one, name, value)


def _apply(judgements: Sequence[HitJudgement]) -> None:
    """Give the hits the status of their judgements."""
    for one in judgements:
        one.hit.status, one.hit.judgement, one.hit.note = one.verdict, one, ""
        one.hit.save(update_fields=["status", "judgement", "note"])


def _record(
    scope: HitScope,
    event_type: EventType,
    judgements: Sequence[HitJudgement],
    *,
    by: User,
    at: datetime,
    **details: str,
) -> None:
    ids = [str(one.external_id) for one in judgements]
    said = {**details, "judgement_ids": ids, **fixed_rows.fix(*judgements)}
    if event_type != EventType.CLEARING_PROPOSED:
        said |= fixed_rows.fix_settled(*judgements)
    scope.record(event_type, by=by, at=at, **said)


def _record_end(
    scope: HitScope, clearings: Sequence[HitJudgement], *, by: User, at: datetime
) -> None:
    outcome = str(clearings[0].status)
    _record(scope, EventType.CLEARING_ENDED, clearings, by=by, at=at, outcome=outcome)
