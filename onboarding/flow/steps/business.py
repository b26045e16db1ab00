"""The second step: the business."""

from django.http import HttpRequest, HttpResponse

from onboarding.flow.form_pages import SEARCH, FormStep
from onboarding.flow.forms.business import BusinessForm
from onboarding.flow.shares import shares_beside
from onboarding.queries.steps import Step


class Business(FormStep[BusinessForm]):
    """The step with the form about the business."""

    step = Step.BUSINESS
    page_name = Step.BUSINESS.value
    form = BusinessForm
    template = "steps/business"

    def show_form(self, request: HttpRequest, form: BusinessForm) -> HttpResponse:
        """Render the step with the total share of all owners.

        After a search, a choice that is still open is no error.
        """
        if SEARCH in request.GET and form.found:
            form.errors.pop("naics_code", None)
        file = self.journey.file()
        shares = shares_beside(file.lead, file, own=form.share)
        return self.show_step(request, self.template, file=file, form=form, shares=shares)
