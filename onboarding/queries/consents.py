"""Reads of consents."""

from django.db.models import QuerySet

from onboarding.models import Application, Consent


def list_consents(application: Application) -> QuerySet[Consent]:
    """Return the consents and certifications of the applicant, in the order of the page."""
    return application.consents.filter(ubo_id=None).order_by("pk")
