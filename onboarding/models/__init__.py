"""Onboarding's tables, one module per noun."""

from onboarding.models.applications import Application, InvalidMove
from onboarding.models.documents import Document, DocumentRule
from onboarding.models.idempotency import IdempotencyRecord
from onboarding.models.leads import Lead
from onboarding.models.limits import RateWindow
from onboarding.models.owners import Owner
from onboarding.models.partners import ApiKey, Partner

__all__ = [
    "ApiKey",
    "Application",
    "Document",
    "DocumentRule",
    "IdempotencyRecord",
    "InvalidMove",
    "Lead",
    "Owner",
    "Partner",
    "RateWindow",
]
