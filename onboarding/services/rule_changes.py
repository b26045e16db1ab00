"""Rule changes: one administrator proposes a change of risk or document rules, another confirms."""

from banking.services import row_changes
from onboarding.models import DocumentRule, RiskRule

RISK_RULE = row_changes.register(RiskRule)
DOCUMENT_RULE = row_changes.register(DocumentRule)
