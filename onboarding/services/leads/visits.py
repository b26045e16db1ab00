"""Visits: the steps of an application whose pages the applicant has seen."""

from onboarding.models import Application


def record_visit(application: Application, step: str) -> None:
    """Remember that the page of a step was shown. Two at once may forget one; it is seen again."""
    if step not in application.visited_steps:
        application.visited_steps = [*application.visited_steps, str(step)]
        application.save(update_fields=["visited_steps"])
