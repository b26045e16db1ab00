"""Ways into an application: the start, the code, links that ended, several links in a browser."""

import re

import pytest
from django.core import mail as outgoing
from django.core.management import call_command
from django.utils import timezone

from onboarding.models import AccessCode, Application, OwnerInvitation
from onboarding.services.access import links
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.applicants import CODE
from tests.e2e.test_owner_part import COMPUTER, PHONE
from tests.e2e.test_pages import REFUSAL
from tests.mailing import deliver_mails
from tests.onboarding.services.leads.test_submissions import make_complete

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]
WINDOWS = {"computer": COMPUTER, "phone without scripts": {**PHONE, "java_script_enabled": False}}
COLOR = "#7a1f5c"


@pytest.fixture(params=WINDOWS.values(), ids=WINDOWS)
def ada(request, come):
    return come(**request.param)


@pytest.fixture(autouse=True)
def _origin(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]


@pytest.fixture
def partner(db):
    return factories.make_partner(
        display_name="Northwind", support_email="help@example.com", brand_color=COLOR
    )


@pytest.fixture
def application(partner):
    lead = factories.make_lead(partner, email="ada@example.com", first_name="Ada")
    return factories.make_application(lead, at=timezone.now())


def ask_for_code(person, location):
    person.page.goto(location)
    person.press("main form .button")
    person.page.wait_for_selector("#id_code")


def mailed_link():
    """Return the link in the newest mail, once it has left."""
    deliver_mails()
    return re.search(r"http\S+/apply/\S+", outgoing.outbox[-1].body)[0]


def forget_refusals(person):
    """Take notes of the browser about pages of dead links for no fault."""
    person.faults[:] = [fault for fault in person.faults if not REFUSAL.match(fault)]


def test_the_page_of_the_code_helps(ada, application):
    ask_for_code(ada, links.location(application))
    assert ada.page.evaluate("document.activeElement.id") == "id_code"
    assert "a••••@example.com" in ada.page.inner_text("main")

    ada.page.fill("#id_code", "12345")
    ada.press("main form .button")
    ada.page.wait_for_selector("#summary")
    assert "Enter the six digits" in ada.page.inner_text("#summary")
    assert AccessCode.objects.get().tries == 0
    ada.page.get_by_role("button", name="send a new code").click()
    ada.page.get_by_text("We have sent a new code.").wait_for()
    ada.page.fill("#id_code", CODE)
    ada.press("main form .button")

    ada.go_to("you")


@pytest.mark.parametrize("end", ["expired", "replaced"])
def test_a_dead_link_leads_back_by_mail_and_nothing_is_lost(ada, script, application, end):
    old = links.location(application)
    ada.come_in(old)
    ada.go_to("you")
    ada.type({"city": "Boston"})
    ada.press(".back button, button[name=then][value=leave]")
    ada.page.wait_for_selector(".ticks")
    if end == "expired":
        Application.objects.update(link_expires_at=timezone.now())
    else:
        links.replace_link(Application.objects.get(), at=timezone.now())

    ada.page.goto(old)
    assert f"has {'expired' if end == 'expired' else 'been replaced'}" in ada.page.inner_text("h1")
    assert "Northwind" in ada.page.inner_text("header")
    assert "help@example.com" in ada.page.inner_text("footer")
    if ada.has_scripts:
        assert axe.findings(ada.page, script) == []
    ada.press("main form .button")
    ada.page.get_by_role("heading", name="Check your email").wait_for()
    ada.come_in(mailed_link())
    ada.go_to("you")

    assert ada.page.input_value("#id_city") == "Boston"
    forget_refusals(ada)


def test_a_dead_link_of_an_owner_leads_back_by_mail(ada, application):
    owner = factories.make_owner(application.lead, email="grace@example.com", first_name="Grace")
    old = links.owner_location(factories.make_invitation(owner, at=timezone.now()))
    OwnerInvitation.objects.update(link_expires_at=timezone.now())

    ada.page.goto(old)
    ada.press("main form .button")
    ada.page.get_by_role("heading", name="Check your email").wait_for()
    ada.come_in(mailed_link())

    ada.go_to("details")
    assert outgoing.outbox[0].to == ["grace@example.com"]
    forget_refusals(ada)


def test_where_no_link_can_help_the_page_says_what_happened_and_whom_to_ask(ada, application):
    Application.objects.update(status="WITHDRAWN", status_changed_at=timezone.now())

    ada.page.goto(links.location(application))

    assert "It was withdrawn on" in ada.page.inner_text("main")
    assert "Northwind" in ada.page.inner_text("header")
    assert ada.page.locator("main form").count() == 0
    color = "getComputedStyle(document.documentElement).getPropertyValue('--brand')"
    assert COLOR in ada.page.evaluate(color)
    forget_refusals(ada)


def test_two_applications_are_open_in_one_browser(ada, application, partner):
    lead = factories.make_lead(partner, email="ada@example.org", first_name="Augusta")
    other = factories.make_application(lead, at=timezone.now())
    for one in (application, other):
        ada.come_in(links.location(one))
        ada.go_to("you")

    ada.page.goto(f"{links.location(application)}/you")

    assert ada.page.input_value("#id_first_name") == "Ada"
    ada.page.goto(f"{links.location(other)}/you")
    assert ada.page.input_value("#id_first_name") == "Augusta"


def test_the_start_says_what_this_applicant_needs_and_how_long_it_takes(ada, partner):
    bare = factories.make_application(factories.make_lead(partner), at=timezone.now())
    whole = make_complete(ownership_percent=100)
    Application.objects.update(link_expires_at=timezone.now() + timezone.timedelta(days=30))
    shown = []

    for application in (bare, whole):
        ada.page.goto(links.location(application))
        shown.append(ada.page.inner_text("main"))

    minutes = [int(re.search(r"about (\d+) minutes", text)[1]) for text in shown]
    assert minutes[0] > minutes[1]
    assert ["Social Security" in text for text in shown] == [True, False]


def test_anybody_can_read_the_mails_on_one_page(come, script, db, tmp_path, capsys):
    call_command("preview_mails", str(tmp_path / "mails.html"))
    reader = come(**COMPUTER)

    reader.page.goto((tmp_path / "mails.html").as_uri())

    assert axe.findings(reader.page, script) == []
    assert browsing.overflow(reader.page) == 0
