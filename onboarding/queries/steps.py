"""Steps: the parts of an application before the submission."""

from collections.abc import Iterable

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from onboarding.queries.requirements import Kind, Requirement

BUSINESS_TARGETS = {
    "/businessName",
    "/businessType",
    "/businessAddress",
    "/naicsCode",
    "/ein",
    "/incorporationState",
    "/eddQuestionData",
    "/ownershipPercent",
}


class Step(TextChoices):
    """The steps before the submission, in their order; values are names of pages."""

    YOU = "you", _("You")
    BUSINESS = "business", _("Business")
    OWNERS = "owners", _("Owners")
    DOCUMENTS = "documents", _("Documents")
    REVIEW = "review", _("Review and sign")


def step_of(requirement: Requirement) -> Step:
    """Return the step in which the applicant supplies a requirement."""
    if requirement.kind in {Kind.DOCUMENT, Kind.IDENTITY}:
        return Step.DOCUMENTS
    if requirement.ubo_id:
        return Step.OWNERS
    return Step.BUSINESS if requirement.target in BUSINESS_TARGETS else Step.YOU


def list_unfinished(requirements: Iterable[Requirement]) -> list[Step]:
    """Return the steps with missing requirements, in their order, and last the signature."""
    missing = {step_of(requirement) for requirement in requirements}
    return [step for step in Step if step in missing | {Step.REVIEW}]
