"""Reads of the checklist's rules."""

from django.db.models import QuerySet

from onboarding.models import DocumentRule


def list_document_rules(business_type: str | None = None) -> QuerySet[DocumentRule]:
    """Return the slots of a business type, or with None of all, in the order of the checklist.

    A lead without a business type has an empty one, which has no slots.
    """
    rules = DocumentRule.objects.order_by("business_type", "pk")
    return rules if business_type is None else rules.filter(business_type=business_type)
