"""Price changes: plans and payment rules, which two administrators change."""

from banking.models import PaymentRule, Plan
from banking.services import row_changes

PLAN = row_changes.register(Plan)
PAYMENT_RULE = row_changes.register(PaymentRule)
