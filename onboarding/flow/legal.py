"""The pages of legal texts: current versions, or the agreed versions after the submission."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import get_language

from onboarding import legal_texts
from onboarding.choices import LegalText
from onboarding.flow.pages import FlowPage
from onboarding.legal_texts import LegalDocument
from onboarding.queries.consents import list_consents
from onboarding.queries.steps import Step


class Legal(FlowPage):
    """A page with one legal text, to read or to print."""

    def get(self, request: HttpRequest, text: str) -> HttpResponse:
        if text not in LegalText.values:
            raise Http404
        document = self._document(LegalText(text))
        return self.show(request, "legal", document=document)

    @property
    def back_url(self) -> str:
        return self.journey.url(Step.REVIEW if self.journey.is_editable else "status")

    def _document(self, text: LegalText) -> LegalDocument:
        """Return the text in the agreed version and language, else the current version."""
        consent = list_consents(self.journey.application).filter(text=text).first()
        if consent is None:
            return legal_texts.current(text, get_language() or settings.LANGUAGE_CODE)
        return legal_texts.read(text, consent.version, consent.language)
