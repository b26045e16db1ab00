"""The second step: the business."""

from typing import Any

from django.conf import settings
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

    def answer(self, url: str) -> HttpResponse:
        words = self.request.POST.get("naics_code", "").strip()
        is_open = words and not words.isdecimal()  # the industries found are offered once more
        is_switch = self.then in dict(settings.LANGUAGES)
        return super().answer(f"{url}?{SEARCH}#{SEARCH}" if is_switch and is_open else url)

    def due_errors(self, form: Any) -> set[str]:
        """Return the field of the industry after a search that finds none."""
        return {"naics_code"} if self.then == SEARCH and not form.found else set()

    def show_form(self, request: HttpRequest, form: BusinessForm) -> HttpResponse:
        """Render the step with the total share of all owners.

        After a search, a choice that is still open is no error.
        """
        if SEARCH in request.GET and form.found:
            form.errors.pop("naics_code", None)
        file = self.journey.file()
        shares = shares_beside(file.lead, file, own=form.share)
        save_url = self.journey.link(self.step, at=request.path)
        facts = {"file": file, "form": form, "shares": shares, "save_url": save_url}
        return self.show_step(request, self.template, **facts)
