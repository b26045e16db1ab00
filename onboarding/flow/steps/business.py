"""The second step: the business."""

from typing import Any

from onboarding.flow.form_pages import SEARCH, FormStep
from onboarding.flow.forms.business import BusinessForm
from onboarding.flow.journeys import Step


class Business(FormStep[BusinessForm]):
    """The step with the form about the business."""

    step = Step.BUSINESS
    page_name = Step.BUSINESS.value
    form = BusinessForm
    template = "steps/business"

    def restored(self, form: type[BusinessForm], person: Any) -> BusinessForm:
        """Return the form; after a search, a choice that is still open is no error."""
        shown = super().restored(form, person)
        if SEARCH in self.request.GET and shown.found:
            shown.errors.pop("naics_code", None)
        return shown
