"""Onboarding's tables, one module per noun."""

from onboarding.models.applications import Application
from onboarding.models.consents import Consent
from onboarding.models.documents import Document, DocumentRule
from onboarding.models.events import Event
from onboarding.models.idempotency import IdempotencyRecord
from onboarding.models.leads import Lead
from onboarding.models.mails import Mail
from onboarding.models.owners import Owner
from onboarding.models.partners import ApiKey, Partner
from onboarding.models.publications import Publication
from onboarding.models.sessions import AccessCode, FlowSession
from onboarding.models.webhooks import Delivery, DeliveryAttempt, Lane, Webhook

__all__ = [
    "AccessCode",
    "ApiKey",
    "Application",
    "Consent",
    "Delivery",
    "DeliveryAttempt",
    "Document",
    "DocumentRule",
    "Event",
    "FlowSession",
    "IdempotencyRecord",
    "Lane",
    "Lead",
    "Mail",
    "Owner",
    "Partner",
    "Publication",
    "Webhook",
]
