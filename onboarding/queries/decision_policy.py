"""The decision policy: which rule applies to a decision, and what the decision still needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from foundation.database import hash_chains
from onboarding.choices import (
    CheckResult,
    Decider,
    ProposalKind,
    Risk,
    ScreeningState,
)
from onboarding.models import Application, Check, DecisionRule, PolicyVersion
from onboarding.queries.checks import list_weighed_checks
from onboarding.queries.screening_hits import list_hit_states

APPROVALS = {ProposalKind.APPROVE, ProposalKind.APPROVE_TEMPORARILY}
PERMISSIONS = {
    Decider.REVIEWER: "onboarding.decide_application",
    Decider.APPROVER: "onboarding.confirm_application",
}
COLUMNS = [one.attname for one in DecisionRule._meta.concrete_fields if one.name != "id"]
DEMANDS = [  # of a rule: what a proposal rests on
    "decider",
    "people",
    "needs_accepted_documents",
    "document_kinds",
    "check_codes",
    "shortest_reason",
]
STRICTEST = DecisionRule(
    number=0,
    people=2,
    decider=Decider.APPROVER,
    reason="No rule of the decision policy applies, so an approver and a second person decide.",
)


@dataclass(frozen=True)
class Policy:
    """A version of the decision policy; without any rule, STRICTEST applies to every decision."""

    version: int
    rules: Sequence[DecisionRule]

    def find(self, facts: "Facts") -> DecisionRule:
        """Return the first rule whose conditions hold, else STRICTEST."""
        return next((rule for rule in self.rules if _applies(rule, facts)), STRICTEST)


@dataclass(frozen=True)
class Facts:
    """The facts that rules have conditions on.

    `lists` are the codes of the lists on which the lead has hits, cleared ones included, and
    `failed` the labels of checks that failed.
    """

    kind: ProposalKind
    risk: str
    business_type: str
    partner_id: int
    screening: ScreeningState = ScreeningState.NONE
    lists: frozenset[str] = frozenset()
    failed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Needs:
    """What a decision about an application needs: by the rule that applies, and by every policy.

    `version` is that of the policy, `checks` are the weighed checks, of approvals only.
    """

    facts: Facts
    rule: DecisionRule
    version: int
    checks: Sequence[Check] = field(default_factory=list)

    @cached_property
    def second_person_reasons(self) -> list[str]:
        """Return why two people decide; empty if one person may."""
        floor = list_floor_reasons(self.facts)
        return floor or ([self.rule.reason] if self.rule.people > 1 else [])

    @property
    def has_open_hits(self) -> bool:
        """Return whether open screening hits block an approval, under every policy."""
        return self.facts.screening is ScreeningState.OPEN

    @property
    def permission(self) -> str:
        """Return the permission that the person who decides or proposes must have."""
        return PERMISSIONS[Decider(self.rule.decider)]

    @property
    def reference(self) -> dict[str, Any]:
        """Return what a proposal stores of the rule: version, number and digest of its demands."""
        return {
            "version": self.version,
            "number": self.rule.number,
            "digest": digest_demands(self.rule),
        }

    def are_those_of(self, reference: Mapping[str, Any]) -> bool:
        """Return whether the rule in a proposal's stored `reference` has the same demands."""
        return bool(reference.get("digest") == self.reference["digest"])

    @property
    def named(self) -> dict[str, int]:
        """Return the rule's number and the policy's version, as details of the decision's event."""
        return {"rule": self.rule.number, "policy_version": self.version}


def get_needs(
    application: Application, kind: ProposalKind, *, checks: Iterable[Check] | None = None
) -> Needs:
    """Return the requirements of a decision about an application, by the policy in force.

    `checks` are the weighed checks of the application, if the caller has them.
    """
    return list_needs(application, [kind], checks=checks)[kind]


def list_needs(
    application: Application,
    kinds: Iterable[ProposalKind],
    *,
    checks: Iterable[Check] | None = None,
) -> dict[ProposalKind, Needs]:
    """Return by kind what several decisions need, as `get_needs`, in at most three statements."""
    kinds, policy = list(kinds), get_policy()
    hits: list[tuple[str, bool]] = []
    if APPROVALS.isdisjoint(kinds):
        checks = []
    else:
        hits = list_hit_states(application.lead)
        checks = list_weighed_checks(application) if checks is None else list(checks)
    found = {}
    for kind in kinds:
        is_approval = kind in APPROVALS
        weighed = checks if is_approval else []
        facts = _read_facts(application, kind, weighed, hits if is_approval else [])
        found[kind] = Needs(facts, policy.find(facts), policy.version, weighed)
    return found


def get_policy() -> Policy:
    """Return the policy in force: the newest version; no rules before the first one."""
    newest = PolicyVersion.objects.order_by("-number").first()
    if newest is None:
        return Policy(0, [])
    return Policy(newest.number, read_rules(newest.rules))


def read_rules(rules: Iterable[Mapping[str, Any]]) -> list[DecisionRule]:
    """Return the rules of a version, unsaved; columns that came later have their defaults."""
    read = [DecisionRule(**{name: one[name] for name in COLUMNS if name in one}) for one in rules]
    return sorted(read, key=lambda rule: rule.number)


def list_floor_reasons(facts: Facts) -> list[str]:
    """Return the reasons why two people decide under every policy.

    Source: the four-eyes principle of banks.
    """
    if facts.kind is ProposalKind.DENY:
        return ["Every denial needs a second person."]
    if facts.kind is ProposalKind.REOPEN:
        return ["Every reopening needs a second person."]
    reasons = [f"This check failed: {label}." for label in facts.failed]
    return [*reasons, "The risk is high."] if facts.risk == Risk.HIGH else reasons


def digest_demands(rule: DecisionRule) -> str:
    """Return the SHA-256, in hexadecimal, of what a rule demands of a decision."""
    return hash_chains.compute_digest([getattr(rule, name) for name in DEMANDS])


def digest_version(number: int, rules: Sequence[Mapping[str, Any]]) -> str:
    """Return the SHA-256, in hexadecimal, of a version of the policy."""
    return hash_chains.compute_digest([number, *rules])


def _read_facts(
    application: Application,
    kind: ProposalKind,
    checks: Sequence[Check],
    hits: Sequence[tuple[str, bool]],
) -> Facts:
    lead = application.lead
    failed = [str(one.get_code_display()) for one in checks if one.result == CheckResult.FAIL]
    return Facts(
        kind=kind,
        risk=application.risk,
        business_type=lead.business_type,
        partner_id=lead.partner_id,
        screening=_state_of([is_open for _, is_open in hits]),
        lists=frozenset(code for code, _ in hits),
        failed=tuple(dict.fromkeys(failed)),
    )


def _state_of(hits: Sequence[bool]) -> ScreeningState:
    """Return the state of a lead's hits: each is True if the hit is open."""
    if not hits:
        return ScreeningState.NONE
    return ScreeningState.OPEN if any(hits) else ScreeningState.CLEARED


def _applies(rule: DecisionRule, facts: Facts) -> bool:
    """Return whether all conditions of a rule hold; an empty condition holds always."""
    one_of = [
        (rule.decisions, facts.kind),
        (rule.risks, facts.risk),
        (rule.business_types, facts.business_type),
    ]
    return (
        all(not wanted or value in wanted for wanted, value in one_of)
        and rule.screening in {"", facts.screening}
        and (not rule.lists or not facts.lists.isdisjoint(rule.lists))
        and rule.has_failed_check in {None, bool(facts.failed)}
        and rule.partner_id in {None, facts.partner_id}
    )
