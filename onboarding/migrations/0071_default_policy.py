"""The decision policy to start with, which two administrators may change afterwards."""

import hashlib
import json

from django.db import migrations
from django.utils import timezone

from foundation.database import append_only

VERSIONS = "onboarding_policyversion"
APPROVE, TEMPORARILY = ["APPROVE"], ["APPROVE_TEMPORARILY"]
FAILED = {"has_failed_check": True, "people": 2, "reason": "A check failed."}
HIGH = {"risks": ["HIGH"], "people": 2, "reason": "The risk is high."}
CLEAR = {"people": 1, "reason": "No check failed, and the risk is not high."}
ACCEPTED, ANY = {"needs_accepted_documents": True}, {"needs_accepted_documents": False}
RULES = [
    {"decisions": ["DENY"], "people": 2, "reason": "Every denial needs a second person.", **ANY},
    {"decisions": ["REOPEN"], "people": 2, "reason": "Every reopening needs a second person.", **ANY},
    {"decisions": APPROVE, **FAILED, **ACCEPTED},
    {"decisions": TEMPORARILY, **FAILED, **ANY},
    {"decisions": APPROVE, **HIGH, **ACCEPTED},
    {"decisions": TEMPORARILY, **HIGH, **ANY},
    {"decisions": APPROVE, **CLEAR, **ACCEPTED},
    {"decisions": TEMPORARILY, **CLEAR, **ANY},
]
COLUMNS = [
    *("number", "decisions", "risks", "business_types", "screening", "lists"),
    *("has_failed_check", "partner_id", "decider", "people", "needs_accepted_documents"),
    *("document_kinds", "check_codes", "shortest_reason", "sampled_percent", "reason"),
]


def add(apps, schema_editor):
    """Add the rules, and the first version of the policy."""
    database = schema_editor.connection.alias
    rules = apps.get_model("onboarding", "DecisionRule").objects.using(database)
    for place, values in enumerate(RULES, 1):
        rules.create(number=10 * place, **values)
    saved = list(rules.order_by("number").values(*COLUMNS))
    text = json.dumps([1, *saved], sort_keys=True, separators=(",", ":"))
    apps.get_model("onboarding", "PolicyVersion").objects.using(database).create(
        number=1, rules=saved, digest=hashlib.sha256(text.encode()).hexdigest(), at=timezone.now()
    )
    append_only.protect(schema_editor.connection, VERSIONS)


def remove(apps, schema_editor):
    append_only.unprotect(schema_editor.connection, VERSIONS)


class Migration(migrations.Migration):
    dependencies = [("onboarding", "0070_decision_policy")]
    operations = [migrations.RunPython(add, remove)]
