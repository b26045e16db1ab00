"""Proving pages: in a partner's frame, signing or changing an owner's part needs a mailed code."""

from abc import abstractmethod

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language

from onboarding.choices import CodePurpose
from onboarding.flow import codes
from onboarding.flow.pages import StepPage, go_to
from onboarding.services.access import access_codes, sessions

PURPOSE = CodePurpose.SIGNATURE


class ProvingPage(StepPage):
    """A step that mails a code to the applicant, and takes it on a page of its own."""

    @property
    @abstractmethod
    def code_url(self) -> str:
        """Return the path of the page that asks for the code."""

    def ask_for_code(self) -> HttpResponse:
        """Redirect to the page that asks for the code; mail one unless an earlier code is valid."""
        now = timezone.now()
        if access_codes.has_code(self.journey.application, PURPOSE, at=now):
            return go_to(self.code_url)
        return self.send_code()

    def send_code(self) -> HttpResponse:
        """Mail a new code, and redirect to the page that asks for it.

        If too many codes were mailed, none is, and that page says when the next can be.
        """
        application, language = self.journey.application, get_language() or settings.LANGUAGE_CODE
        try:
            access_codes.send_code(application, PURPOSE, language=language, at=timezone.now())
        except access_codes.TooManyCodes:
            return go_to(f"{self.code_url}?{codes.REFUSED}={codes.FURTHER}")
        return go_to(self.code_url)

    def check_code(self, request: HttpRequest) -> HttpResponse | None:
        """Check the posted code, and mark the session as confirmed; return None.

        A refused code leaves the session as it is, and a redirect to the form is returned.
        """
        form = codes.CodeForm(request.POST)
        if not form.is_valid():
            return go_to(f"{request.path}?{codes.REFUSED}={codes.UNREADABLE}")
        now, code = timezone.now(), form.cleaned_data["code"]
        try:
            access_codes.check_code(self.journey.application, PURPOSE, code, at=now)
        except access_codes.CodeRefused:
            return go_to(f"{request.path}?{codes.REFUSED}={codes.WRONG}")
        if self.journey.session:
            sessions.confirm(self.journey.session, at=now)
        return None
