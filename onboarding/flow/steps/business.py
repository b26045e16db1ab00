"""The second step: the business."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from onboarding.flow.form_pages import MAILING, SEARCH, FormStep
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

    def show_form(self, request: HttpRequest, form: BusinessForm) -> HttpResponse:
        """Render the step with the total share of all owners.

        After a search, or while the words are typed, a choice that is still open is no error.
        """
        is_typed = SEARCH in request.GET or (self.draft is not None and self.draft.is_unsaved)
        if is_typed and form.found:
            form.errors.pop("naics_code", None)
        if MAILING in request.GET:  # the fields have just been asked for
            for name in [one for one in form.errors if one.startswith("mailing_address_")]:
                del form.errors[name]
        file = self.journey.file()
        shares = shares_beside(file.lead, file, own=form.share)
        return self.show_step(request, self.template, file=file, form=form, shares=shares)
