"""The second step: the business."""

from django.http import HttpRequest, HttpResponse

from onboarding.flow.form_pages import FormStep
from onboarding.flow.forms.business import BusinessForm
from onboarding.flow.journeys import Step
from onboarding.industries import list_sectors


class Business(FormStep[BusinessForm]):
    """The step with the form about the business."""

    step = Step.BUSINESS
    page_name = Step.BUSINESS.value
    form = BusinessForm
    template = "steps/business"

    def show_form(self, request: HttpRequest, form: BusinessForm) -> HttpResponse:
        """Render the step with the list of industries, to find a NAICS code."""
        return self.show_step(request, self.template, form=form, sectors=list_sectors())
