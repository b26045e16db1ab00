"""Decision evidence: the documents, checks and words that a decision still lacks, by its rule."""

from collections.abc import Sequence
from dataclasses import dataclass

from onboarding.choices import CheckSource, DocumentStatus, LlcFileType
from onboarding.models import Document
from onboarding.queries.decision_policy import APPROVALS, Needs
from onboarding.queries.document_rules import list_document_rules
from onboarding.queries.leads import LeadFile
from onboarding.queries.requirements import Kind, Requirement, list_requirements


@dataclass(frozen=True)
class Evidence:
    """Documents and checks that an approval lacks by its rule.

    `slots` are the required documents of which none is accepted, `kinds` the further kinds of the
    rule of which none is accepted, and `unaccepted` the received documents that staff can accept
    for them. `checks` are the labels of checks by staff that name no document.
    """

    unaccepted: Sequence[Document] = ()
    slots: Sequence[Requirement] = ()
    kinds: Sequence[LlcFileType] = ()
    checks: Sequence[str] = ()

    @property
    def sentences(self) -> list[str]:
        """Return the missing evidence, in words for staff."""
        accepted = [str(one.message).rstrip(".") for one in self.slots]
        accepted += [str(kind.label) for kind in self.kinds]
        lacking = []
        if accepted:
            lacking.append(f"Not accepted yet: {'; '.join(dict.fromkeys(accepted))}.")
        if self.checks:
            lacking.append(f"Name the document that shows it: {'; '.join(self.checks)}.")
        return lacking


def list_lacking(needs: Needs, file: LeadFile, *, accepting: Sequence[Document] = ()) -> Evidence:
    """Return the documents and checks that an approval lacks by its rule.

    Other decisions lack nothing.
    Documents in `accepting` count as accepted.
    """
    rule = needs.rule
    if needs.facts.kind not in APPROVALS:
        return Evidence()
    accepted = [
        one for one in file.documents if one.status == DocumentStatus.ACCEPTED or one in accepting
    ]
    slots = _list_slots(file, accepted) if rule.needs_accepted_documents else []
    have = {one.llc_file_type for one in accepted}
    kinds = [LlcFileType(kind) for kind in rule.document_kinds if kind not in have]
    return Evidence(
        unaccepted=_list_fitting(file, slots, kinds),
        slots=slots,
        kinds=kinds,
        checks=_list_unproven(needs),
    )


def _list_slots(file: LeadFile, accepted: list[Document]) -> list[Requirement]:
    """Return the required documents that no accepted document satisfies."""
    found = list_requirements(
        file.application,
        owners=file.owners,
        documents=accepted,
        rules=list_document_rules(file.lead.business_type),
    )
    return [one for one in found if one.kind == Kind.DOCUMENT and one.is_awaited]


def _list_fitting(
    file: LeadFile, slots: Sequence[Requirement], kinds: Sequence[LlcFileType]
) -> list[Document]:
    """Return the received documents of one of the kinds, or that fit one of the required slots."""
    owners = {owner.pk: owner.external_id for owner in file.owners}
    received = [one for one in file.documents if one.status == DocumentStatus.RECEIVED]
    return [
        one
        for one in received
        if one.llc_file_type in kinds
        or any(
            one.llc_file_type in slot.accepted_types
            and slot.ubo_id in {None, owners.get(one.owner_id or 0)}
            for slot in slots
        )
    ]


def _list_unproven(needs: Needs) -> list[str]:
    """Return the labels of manual checks that name no document although the rule wants one."""
    ticks = [one for one in needs.checks if one.source == CheckSource.MANUAL]
    current = {one.code: one for one in reversed(ticks)}  # items that failed once come last
    return [
        str(one.get_code_display())
        for code in needs.rule.check_codes
        if (one := current.get(code)) and not one.details.get("document_id")
    ]
