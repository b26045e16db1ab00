"""The first step: the applicant."""

from onboarding.flow.form_pages import FormStep
from onboarding.flow.forms.people import ApplicantForm
from onboarding.queries.steps import Step


class You(FormStep[ApplicantForm]):
    """The step with the form about the applicant."""

    step = Step.YOU
    page_name = Step.YOU.value
    form = ApplicantForm
    template = "steps/you"
