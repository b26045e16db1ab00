"""The second step: the business."""

from django.http import HttpRequest, HttpResponse

from onboarding.flow.form_pages import FormStep
from onboarding.flow.forms.business import BusinessForm
from onboarding.flow.journeys import Step
from onboarding.industries import list_sectors


class Business(FormStep[BusinessForm]):
    """What the business is, and where."""

    step = Step.BUSINESS
    form = BusinessForm
    template = "steps/business"

    def show_form(self, request: HttpRequest, form: BusinessForm) -> HttpResponse:
        """Render the step with the industries, by which a code can be found."""
        return self.show_step(request, self.template, form=form, sectors=list_sectors())
