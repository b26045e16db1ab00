"""Rule changes: risk rules and document rules, which two administrators change."""

from banking.services import row_changes
from onboarding.models import DocumentRule, RiskRule

RISK_RULE = row_changes.register(RiskRule)
DOCUMENT_RULE = row_changes.register(DocumentRule)
