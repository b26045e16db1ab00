"""The first step: the applicant."""

from django.http import HttpRequest, HttpResponse

from onboarding.flow.form_pages import FormStep
from onboarding.flow.forms.people import ApplicantForm
from onboarding.flow.journeys import Step
from onboarding.flow.shares import shares_beside


class You(FormStep[ApplicantForm]):
    """The step with the form about the applicant."""

    step = Step.YOU
    page_name = Step.YOU.value
    form = ApplicantForm
    template = "steps/you"

    def show_form(self, request: HttpRequest, form: ApplicantForm) -> HttpResponse:
        """Render the step with the total share of all owners."""
        file = self.journey.file()
        shares = shares_beside(file.lead, file, own=form.share)
        return self.show_step(request, self.template, file=file, form=form, shares=shares)
