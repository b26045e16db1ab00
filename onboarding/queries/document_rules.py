"""Reads of the checklist's rules."""

from django.db.models import QuerySet

from onboarding.models import DocumentRule


def list_document_rules(business_type: str | None = None) -> QuerySet[DocumentRule]:
    """Return the document rules of a business type, or of all types for None, in checklist order.

    A lead without a business type has the type "", which has no rules.
    """
    rules = DocumentRule.objects.order_by("business_type", "pk")
    return rules if business_type is None else rules.filter(business_type=business_type)
