"""Back-office screens of onboarding, one module per noun."""

from onboarding.admin import (
    api_keys,
    applications,
    deliveries,
    document_rules,
    documents,
    events,
    home,
    leads,
    mails,
    owners,
    partners,
    publications,
    risks,
    sanctions,
    staff_roles,
    webhooks,
)

__all__ = [
    "api_keys",
    "applications",
    "deliveries",
    "document_rules",
    "documents",
    "events",
    "home",
    "leads",
    "mails",
    "owners",
    "partners",
    "publications",
    "risks",
    "sanctions",
    "staff_roles",
    "webhooks",
]
