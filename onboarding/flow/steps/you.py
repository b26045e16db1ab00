"""The first step: the applicant."""

from django.http import HttpRequest, HttpResponse

from onboarding.flow.form_pages import FormStep
from onboarding.flow.forms.holding import OF_PERSON
from onboarding.flow.forms.people import ApplicantForm
from onboarding.queries.steps import Step


class You(FormStep[ApplicantForm]):
    """The step with the form about the applicant."""

    step = Step.YOU
    page_name = Step.YOU.value
    form = ApplicantForm
    template = "steps/you"

    def show_form(self, request: HttpRequest, form: ApplicantForm) -> HttpResponse:
        """Render the step, which says what the partner has filled in."""
        lead = form.person
        known = [one.name for one in OF_PERSON if getattr(lead, one.name) not in ("", None)]
        is_prefilled = any(name not in lead.supplied_by for name in known)
        return self.show_step(request, self.template, form=form, is_prefilled=is_prefilled)
