"""The results of verification providers and of partners' own verifications, as findings."""

from collections.abc import Iterator, Sequence
from typing import Any

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckResult, VerificationKind, VerificationStatus
from onboarding.models import PartnerVerification, VerificationRequest
from onboarding.queries.leads import LeadFile
from onboarding.queries.verifications import (
    Party,
    find_outdated,
    is_current,
    list_parties,
    list_partner_verifications,
    list_requests,
)
from onboarding.screening import Finding

WAITS = "{} has not answered yet."
SILENT = "{} did not answer in time. Staff may decide by hand."
REFUSED = "{} refused the request. Staff may decide by hand."
CHANGED = "The data has changed since {} answered."
BY_PARTNER = "Verified by the partner: {}, {}, {}."
OUTDATED = "The data have changed since the partner verified them: it does not count. {}"
NOT_AGREED = "The bank does not rely on this partner: it does not count. {}"


def read_providers(file: LeadFile) -> Sequence[Finding]:
    """Return a finding for each party and kind of verification that a provider was asked about.

    It tells the result of the newest request with the party's present data, or warns if the data
    changed after all requests. A provider that is no longer configured keeps its findings.
    """
    newest: dict[tuple[str, Any], list[VerificationRequest]] = {}
    for request in list_requests(file):
        newest.setdefault((request.kind, request.party_id), []).append(request)
    return [
        _judge(newest[key], party)
        for kind in VerificationKind
        for party in list_parties(file, kind)
        if (key := (kind.value, party.person.external_id)) in newest
    ]


def read_partner(file: LeadFile) -> Sequence[Finding]:
    """Return a finding for the newest of the partner's verifications of each party and kind.

    It passes if the bank relies on the partner by a contract and the data are still those that were
    verified; otherwise it is a warning.
    """
    newest = {(one.kind, one.ubo_id): one for one in list_partner_verifications(file)}
    is_relied_on = bool(newest) and bool(file.lead.partner.reliance_contract)
    outdated = find_outdated(newest.values()) if is_relied_on else set()
    return [
        _describe(newest[key], party, _why_not(newest[key], outdated, is_relied_on=is_relied_on))
        for kind in VerificationKind
        for party in list_parties(file, kind)
        if (key := (kind.value, party.person.ubo_id)) in newest
    ]


def _judge(requests: Sequence[VerificationRequest], party: Party) -> Finding:
    current = next((one for one in reversed(requests) if is_current(one, party)), None)
    if current is None:
        return _finding(requests[-1], party, CheckResult.WARN, CHANGED)
    match VerificationStatus(current.status):
        case VerificationStatus.ANSWERED:
            return _finding(current, party, CheckResult(current.result), _answer(current))
        case VerificationStatus.UNANSWERED:
            return _finding(current, party, CheckResult.WARN, SILENT)
        case VerificationStatus.REJECTED:
            return _finding(current, party, CheckResult.WARN, REFUSED)
        case _:
            return _finding(current, party, CheckResult.WARN, WAITS)


def _answer(request: VerificationRequest) -> str:
    reasons = f": {', '.join(request.reasons)}" if request.reasons else ""
    return f"{{}}, reference {request.reference}{reasons}."


def _finding(request: VerificationRequest, party: Party, result: CheckResult, note: str) -> Finding:
    return Finding(
        party.kind.provider_code,
        result,
        None if result is CheckResult.PASS else Status.IN_REVIEW,
        party.person,
        note.format(request.provider)[:500],
        dict(_details(request)),
        rated=request.status == VerificationStatus.ANSWERED,
    )


def _details(request: VerificationRequest) -> Iterator[tuple[str, Any]]:
    yield "provider", request.provider
    yield "request_id", str(request.external_id)
    if request.status == VerificationStatus.ANSWERED:
        yield "reference", request.reference
        yield "reasons", request.reasons
    if request.settled_at:
        yield "settled_at", request.settled_at.isoformat()


def _why_not(one: PartnerVerification, outdated: set[int], *, is_relied_on: bool) -> str:
    """Return the template of the note on why a verification does not count; empty if it does."""
    if not is_relied_on:
        return NOT_AGREED
    return OUTDATED if one.pk in outdated else ""


def _describe(one: PartnerVerification, party: Party, why_not: str) -> Finding:
    said = BY_PARTNER.format(one.get_method_display(), one.verified_on, one.reference)
    details = {"verification_id": str(one.external_id), "document_ids": one.document_ids}
    code = party.kind.partner_code
    if not why_not:
        return Finding(code, CheckResult.PASS, None, party.person, said, details)
    note = why_not.format(said)
    return Finding(
        code, CheckResult.WARN, Status.IN_REVIEW, party.person, note, details, rated=False
    )
