"""Reads of what applicants agreed to."""

from django.db.models import QuerySet

from onboarding.models import Application, Consent


def list_consents(application: Application) -> QuerySet[Consent]:
    """Return what the applicant agreed to and certified, in the order of the page."""
    return application.consents.order_by("pk")
