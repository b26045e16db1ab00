"""Policy changes: one administrator proposes a change of the rules of decisions, another confirms.

Each confirmed change saves all rules as a new version of the policy.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from banking.models import StaffChange, User
from banking.services import row_changes, staff_changes
from onboarding.models import DecisionRule, PolicyVersion
from onboarding.queries.decision_policy import COLUMNS, digest_version, get_policy
from onboarding.queries.decision_words import describe
from onboarding.queries.policy_versions import DIGEST, VERSION


def _version_now() -> int:
    """Return the number of the newest policy version; a newer version voids open proposals."""
    return get_policy().version


def _save_version(change: StaffChange) -> dict[str, Any]:
    """Save the version that a confirmed change makes.

    Shape: the version's number and digest, as details of the staff event.
    """
    version = save_version(change_id=change.external_id, at=change.settled_at or change.proposed_at)
    return {VERSION: version.number, DIGEST: version.digest}


DECISION_RULE = row_changes.register(DecisionRule, context=_version_now, after_change=_save_version)


def propose(
    rule: DecisionRule | None, values: Mapping[str, Any] | None, *, by: User, at: datetime
) -> StaffChange:
    """Propose to a second administrator to add, change or delete a rule of the decision policy.

    Without a `rule` the `values` are those of the new rule; without `values` the rule is to be
    deleted. The summary has the rule in words, before and after. Raises: AccountTooNew.
    """
    before = [f"Before: {describe(rule)}"] if rule else []
    if values is None:
        summary = [f"Delete {rule}.", *before]
    else:
        after = DecisionRule(**{"pk": rule.pk if rule else None, **values})
        done = f"Change {rule}." if rule else f"Add {after}."
        summary = [done, *before, f"After: {describe(after)}"]
    payload = {"pk": rule.pk if rule else None, "values": dict(values) if values else None}
    return staff_changes.propose(DECISION_RULE, payload=payload, summary=summary, by=by, at=at)


def save_version(*, change_id: Any = None, at: datetime) -> PolicyVersion:
    """Save all rules as they are now as the newest policy version, in force at once.

    `change_id` is the external id of the confirmed staff change, None without one.
    """
    number = get_policy().version + 1
    rules = list(DecisionRule.objects.order_by("number").values(*COLUMNS))
    return PolicyVersion.objects.create(
        number=number,
        rules=rules,
        digest=digest_version(number, rules),
        change_id=change_id,
        at=at,
    )
