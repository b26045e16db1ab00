"""An applicant with a link, before and after the code."""

from http import HTTPStatus

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from onboarding.flow.journeys import remember_key
from onboarding.models import Application, FormDraft
from onboarding.services.access import links, sessions
from tests.factories import make_application

CODE = "000000"  # of the sandbox


class Flow:
    """A browser on the pages of one application; `you` is the path below its link."""

    def __init__(self, application, client=None):
        self.pk = application.pk
        self.root = f"/apply/{links.derive_link(application)}"
        self.client = client or Client()

    @property
    def application(self):
        return Application.objects.select_related("lead__partner").get(pk=self.pk)

    @property
    def lead(self):
        return self.application.lead

    def path(self, page=""):
        return f"{self.root}/{page}" if page else self.root

    def get(self, page=""):
        return self.client.get(self.path(page))

    def send(self, page="", data=None, **options):
        return self.client.post(self.path(page), data or {}, **options)

    def post(self, page="", data=None, **options):
        """Send a form; where something of it is left, follow to the page that says so."""
        response = self.send(page, data, **options)
        is_left = FormDraft.objects.filter(application=self.pk).exists()
        if response.status_code != HTTPStatus.SEE_OTHER or not is_left:
            return response
        return self.client.get(response["Location"])

    def come_in(self):
        """Ask for a code by the form, and enter it."""
        self.post()
        return self.post("code", {"code": CODE})

    def open_session(self, language="en"):
        """Let this browser be in the flow, as if it had entered a code."""
        opened = sessions.open_session(self.application, language=language, at=timezone.now())
        response = HttpResponse()
        remember_key(response, opened.key, {"link": self.root.rpartition("/")[2]})
        self.client.cookies.update(response.cookies)

    def fill_in(self, page, **values):
        """Send the form of a page as it is shown, with some values changed."""
        form = self.get(page).context["form"]
        shown = {name: form[name].value() for name in form.fields}
        sent = {name: value for name, value in {**shown, **values}.items() if value is not None}
        return self.post(page, sent)


@pytest.fixture
def make_flow(db):
    """Return a browser on a new application, made by its partner just now."""

    def make(lead=None, **values):
        return Flow(make_application(lead, at=timezone.now(), **values))

    return make


@pytest.fixture
def flow(make_flow, make_lead):
    """An applicant who has come in."""
    flow = make_flow(make_lead(first_name="Ada", email="ada@example.com", ssn="123456789"))
    flow.open_session()
    return flow


def errors(response):
    """Return the first error of each field of the shown form."""
    return {name: str(faults[0]) for name, faults in response.context["form"].errors.items()}
