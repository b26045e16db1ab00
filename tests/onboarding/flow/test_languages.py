"""Every page of the application in a language that nobody has written: no English is left."""

import pytest
from django.test import Client
from django.utils import timezone

from onboarding import legal_texts
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import LegalText
from onboarding.industries import SECTORS
from onboarding.models import Application
from tests import pseudo_locales

FORMS = ["you", "business", "owners/add", "review"]
PAGES = [*FORMS, "owners", "documents", "status", "withdraw"]
DATA = [
    "Acme Books Ada Byron Bakery LLC ada@example.com help@acme.example.com example",
    "English Español Esperanto Vestibule Bank sandbox UTC",
]

pytestmark = pytest.mark.usefixtures("pseudo_locales")


@pytest.fixture
def flow(make_flow, make_lead, make_partner):
    email = "help@acme.example.com"
    partner = make_partner(name="Acme", display_name="Acme Books", support_email=email)
    names = {"first_name": "Ada", "last_name": "Byron", "business_name": "Bakery LLC"}
    flow = make_flow(make_lead(partner, email="ada@example.com", **names))
    flow.client = Client(headers={"accept-language": pseudo_locales.LONG})
    flow.come_in()
    return flow


def left_over(response):
    data = [*DATA, *fallbacks()]
    return pseudo_locales.left_over(response.content.decode(), data)


def fallbacks():
    """Yield what is English by design where its file has no other language."""
    for sector in SECTORS:
        yield sector["name"]
    for text in LegalText:
        document = legal_texts.current(text, "en")
        yield document.title
        yield document.notice
        yield from (paragraph.text for paragraph in document.paragraphs)


@pytest.mark.parametrize("page", PAGES)
def test_no_text_of_a_page_is_left_over(flow, page):
    assert left_over(flow.get(page)) == []


@pytest.mark.parametrize("page", ["", "code"])
def test_no_text_before_the_code_is_left_over(flow, page):
    flow.client.cookies.clear()

    assert left_over(flow.get(page)) == []


@pytest.mark.parametrize("page", FORMS)
def test_no_text_of_an_error_is_left_over(flow, page):
    assert left_over(flow.send(page, follow=True)) == []


@pytest.mark.parametrize("status", Status)
def test_no_text_of_a_status_is_left_over(flow, status):
    Application.objects.update(status=status, status_changed_at=timezone.now())

    assert left_over(flow.get("status")) == []
