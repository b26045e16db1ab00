"""Reads of the checklist's rules."""

from django.db.models import QuerySet

from onboarding.models import DocumentRule


def list_document_rules(business_type: str = "") -> QuerySet[DocumentRule]:
    """Return the slots of a business type, or of all, in the order of the checklist."""
    rules = DocumentRule.objects.order_by("business_type", "pk")
    return rules.filter(business_type=business_type) if business_type else rules
