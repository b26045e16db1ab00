"""Visits: the steps of an application whose pages the applicant has seen."""

from onboarding.models import Application


def record_visit(application: Application, step: str) -> None:
    """Save that the page of a step was shown to the applicant.

    Of two concurrent calls one may be lost; the step is saved when its page is shown again.
    """
    if step not in application.visited_steps:
        application.visited_steps = [*application.visited_steps, str(step)]
        application.save(update_fields=["visited_steps"])
