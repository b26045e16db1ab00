"""Typed work survives in a real browser, with and without JavaScript."""

import re

import pytest
from django.utils import timezone

from onboarding.models import Application, FlowSession
from onboarding.services.access import links
from tests import factories
from tests.e2e.applicants import Applicant

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def ada(request, chromium, live_server, settings):
    """An applicant at the first step, in the hosted form."""
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    lead = factories.make_lead(email="ada@example.com", first_name="Ada")
    application = factories.make_application(lead, at=timezone.now())
    applicant = Applicant(chromium, java_script_enabled=request.param, locale="en-US")
    applicant.come_in(links.location(application))
    applicant.go_to("you")
    yield applicant
    applicant.context.close()


def come_back(applicant):
    applicant.press()
    applicant.page.fill("#id_code", "000000")
    applicant.press()


def test_a_session_ends_while_the_applicant_types(ada):
    ada.type({"line1": "77 Never Lost Street", "ssn": "123-45-6789"})
    FlowSession.objects.update(expires_at=timezone.now())

    ada.press("#step .button")
    text = ada.page.text_content("main")
    come_back(ada)
    ada.go_to("you")

    assert "Your session ended" in text
    assert ada.page.input_value("#id_line1") == "77 Never Lost Street"
    assert ada.page.input_value("#id_ssn") == ""
    assert "ending in 6789" in ada.page.text_content("#id_ssn_helptext")
    ada.press("#step .button")
    ada.page.wait_for_selector("#summary")
    assert Application.objects.get().lead.ssn == "123456789"


def test_the_language_and_leaving_save(ada):
    ada.type({"first_name": "Augusta"})

    ada.press("button[name=then][value=es]")
    ada.page.wait_for_selector("html[lang=es]")
    ada.type({"last_name": "Byron"})
    ada.press("button[name=then][value=leave]")
    ada.page.wait_for_selector(".ticks")
    lead = Application.objects.get().lead

    assert (lead.first_name, lead.last_name) == ("Augusta", "Byron")
    assert ada.page.locator("#summary").count() == 0


def test_the_enter_key_saves_and_switches_no_language(ada):
    ada.type({"first_name": "Augusta"})

    ada.page.press("#id_first_name", "Enter")
    ada.page.wait_for_selector("#summary")

    assert ada.page.get_attribute("html", "lang") == "en"
    assert Application.objects.get().lead.first_name == "Augusta"


def test_back_works_after_an_error(ada):
    ada.type({"phone_number": "1"})
    ada.press("#step .button")
    ada.page.wait_for_selector("#summary")
    ada.page.click("a[href$=business]")
    ada.go_to("business")

    ada.page.go_back()

    ada.go_to("you")
    assert ada.page.input_value("#id_phone_number") == "1"
    ada.page.reload()
    assert ada.page.input_value("#id_phone_number") == "1"
    assert re.search("area code", ada.page.text_content("#summary"))
