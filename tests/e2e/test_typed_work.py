"""Typed work survives in a real browser, with and without JavaScript."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, FlowSession
from onboarding.services.access import links
from onboarding.services.applications import reminders
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.applicants import Applicant
from tests.mailing import deliver_mails
from tests.onboarding.services.leads.test_submissions import ADDRESS, PERSON

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


MINUTE = timedelta(minutes=1)  # a request on its way would extend a session that ends now
PHONE = {"width": 375, "height": 700}
OFFLINE = re.compile("ERR_INTERNET_DISCONNECTED|ERR_FAILED")


def begin(chromium, live_server, settings, **options):
    """Return an applicant at the first step, in the hosted form."""
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    lead = factories.make_lead(email="ada@example.com", first_name="Ada")
    application = factories.make_application(lead, at=timezone.now())
    applicant = Applicant(chromium, **{"locale": "en-US", **options})
    applicant.come_in(links.location(application))
    applicant.go_to("you")
    return applicant


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def ada(request, chromium, live_server, settings):
    """An applicant, with and without JavaScript."""
    applicant = begin(chromium, live_server, settings, java_script_enabled=request.param)
    yield applicant
    applicant.context.close()


@pytest.fixture
def eva(chromium, live_server, settings):
    """An applicant who reads Spanish on a phone, with JavaScript."""
    applicant = begin(chromium, live_server, settings, viewport=PHONE, locale="es-MX")
    yield applicant
    applicant.context.close()
    assert [fault for fault in applicant.faults if not OFFLINE.search(fault)] == []


def is_draft(answer):
    return answer.request.method == "PATCH"


def type_and_leave_the_field(page, name, value):
    """Type into a field, and wait until the draft is kept."""
    with page.expect_response(is_draft):
        page.fill(f"#id_{name}", value)
        page.press(f"#id_{name}", "Tab")


def type_and_stay_in_the_field(page, name, value):
    """Type into a field that keeps the cursor, and wait until the draft is kept."""
    with page.expect_response(is_draft):
        page.locator(f"#id_{name}").press_sequentially(value)


def come_back(applicant):
    applicant.press()
    applicant.page.fill("#id_code", "000000")
    applicant.press()


def test_a_session_ends_while_the_applicant_types(ada):
    ada.type({"line1": "77 Never Lost Street", "ssn": "123-45-6789"})
    FlowSession.objects.update(expires_at=timezone.now() - MINUTE)

    ada.press("#step .button")
    ada.page.wait_for_url("**ended=kept")
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


def test_the_language_and_leaving_save_and_a_mail_leads_back(ada):
    ada.type({"first_name": "Augusta"})

    ada.press("button[name=then][value=es]")
    ada.page.wait_for_selector("html[lang=es]")
    ada.type({"last_name": "Byron"})
    ada.press("button[name=then][value=leave]")
    ada.page.wait_for_selector(".ticks")
    lead = Application.objects.get().lead

    assert (lead.first_name, lead.last_name) == ("Augusta", "Byron")
    assert ada.page.locator("#summary").count() == 0

    for name, value in {**PERSON, **ADDRESS}.items():
        setattr(lead, name, value)
    lead.save()
    tomorrow = timezone.now() + timedelta(days=1, minutes=1)
    list(reminders.remind_due(at=tomorrow))
    deliver_mails(at=tomorrow)
    ada.come_in(re.search(r"http\S+/apply/\S+", mail.outbox[-1].body)[0])
    ada.go_to("business")  # where the applicant stopped


def test_the_enter_key_saves_and_switches_no_language(ada):
    ada.type({"first_name": "Augusta"})

    ada.page.press("#id_first_name", "Enter")
    ada.page.wait_for_selector("#summary")

    assert ada.page.get_attribute("html", "lang") == "en"
    assert Application.objects.get().lead.first_name == "Augusta"


def test_the_field_with_the_cursor_is_there_after_a_reload(eva):
    type_and_stay_in_the_field(eva.page, "line1", "77 Never Lost Street")
    assert eva.page.evaluate("document.activeElement.id") == "id_line1"

    eva.page.reload()

    assert eva.page.input_value("#id_line1") == "77 Never Lost Street"


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


def test_a_page_that_could_not_be_sent_is_sent_again(ada):
    ada.type({"line1": "77 Never Lost Street"})
    ada.context.set_offline(True)
    ada.press("#step .button")
    if ada.has_scripts:
        ada.page.wait_for_selector("#session:not(:empty)")
        assert ada.page.input_value("#id_line1") == "77 Never Lost Street"
    else:
        ada.page.wait_for_url("chrome-error://**")

    ada.context.set_offline(False)
    if ada.has_scripts:
        ada.press("#step .button")
    else:
        ada.page.reload()
    ada.page.wait_for_selector("#summary")

    assert Application.objects.get().lead.line1 == "77 Never Lost Street"


def test_back_saves_and_leads_to_the_page_before(ada):
    ada.page.click("a[href$=business]")
    ada.go_to("business")
    ada.type({"business_name": "Bread LLC", "naics_code": "abc"})

    ada.press(".back button")
    ada.go_to("you")
    assert Application.objects.get().lead.business_name == "Bread LLC"
    ada.page.go_back()
    ada.go_to("business")

    assert ada.page.input_value("#id_naics_code") == "abc"
    assert ada.page.title().startswith("Business")  # nothing was submitted, so nothing is wrong yet
    assert "We kept what you typed here" in ada.page.text_content("main")


def test_back_leads_from_each_page_to_the_one_before(ada):
    ada.page.goto(ada.page.url.removesuffix("you") + "review")
    for step in ("documents", "owners", "business"):
        ada.press(".back button, .back a")
        ada.go_to(step)

    ada.page.go_back()
    ada.go_to("owners")
    Application.objects.update(status=Status.WITHDRAWN)
    ada.page.reload()

    ada.go_to("status")
    assert ada.page.locator(".back").count() == 0  # nothing can be changed any more
    ada.page.go_back()
    ada.page.wait_for_selector("#flow")
    assert ada.faults == []


def test_what_is_typed_is_kept_before_it_is_sent(eva, script):
    type_and_leave_the_field(eva.page, "line1", "77 Never Lost Street")
    second = eva.context.new_page()
    second.goto(eva.page.url)
    type_and_leave_the_field(second, "city", "Boston")
    second.close()

    eva.page.reload()

    assert eva.page.input_value("#id_line1") == "77 Never Lost Street"
    assert eva.page.input_value("#id_city") == "Boston"
    assert "Conservamos lo que escribió" in eva.page.text_content("main")
    assert axe.findings(eva.page, script) == []
    assert browsing.overflow(eva.page) == 0
    assert Application.objects.get().lead.line1 == ""


def test_the_end_of_the_session_is_announced_and_put_off(eva, script):
    eva.page.clock.install()
    eva.page.reload()
    type_and_leave_the_field(eva.page, "line1", "77 Never Lost Street")
    session = eva.page.locator("#session[role=alert]")

    eva.page.clock.fast_forward("56:00")
    session.get_by_text("cinco minutos").wait_for()
    assert axe.findings(eva.page, script) == []
    session.get_by_role("button").click()
    session.get_by_text("cinco minutos").wait_for(state="detached")
    eva.page.clock.fast_forward("50:00")
    assert session.text_content() == ""
    day = timedelta(days=1)
    FlowSession.objects.update(created_at=timezone.now() + 4 * MINUTE - day)
    FlowSession.objects.update(expires_at=timezone.now() + 2 * MINUTE)
    type_and_leave_the_field(eva.page, "city", "Boston")
    session.get_by_text("no se puede prolongar").wait_for()  # nobody can stay any longer
    assert axe.findings(eva.page, script) == []
    FlowSession.objects.update(expires_at=timezone.now() - MINUTE)
    eva.page.clock.fast_forward("10:01")
    session.get_by_text("Su sesión terminó").wait_for()
    assert axe.findings(eva.page, script) == []
    assert browsing.overflow(eva.page) == 0
    eva.page.reload()

    assert "Su sesión terminó" in eva.page.text_content("main")
    assert axe.findings(eva.page, script) == []
    come_back(eva)
    eva.go_to("you")
    assert eva.page.input_value("#id_line1") == "77 Never Lost Street"


def test_a_message_that_moves_the_page_loses_no_click(chromium, live_server, settings):
    whole = {"width": 1280, "height": 3000}  # a page that scrolls stays where it is
    ada = begin(chromium, live_server, settings, viewport=whole)
    ada.type({"line1": "77 Never Lost Street"})
    FlowSession.objects.update(expires_at=timezone.now() - MINUTE)
    ada.page.locator("#step .button").first.hover()

    with ada.page.expect_response(is_draft):
        ada.page.mouse.down()
    for _frame in range(2):
        ada.page.evaluate("() => new Promise(requestAnimationFrame)")
    ada.page.mouse.up()

    ada.page.wait_for_url("**ended=kept")
    ada.context.close()


def test_a_day_is_told_in_the_zone_of_the_reader(chromium, live_server, settings):
    settings.BASE_URL = live_server.url
    application = factories.make_application(at=timezone.now(), status="EXPIRED")
    Application.objects.update(status_changed_at=datetime(2026, 1, 2, 3, tzinfo=UTC))
    reader = Applicant(chromium, locale="en-US", timezone_id="America/New_York")

    reader.page.goto(links.location(application))
    reader.page.locator("time").get_by_text("January 1, 2026").wait_for()
    reader.context.close()


def test_a_session_that_was_ended_elsewhere_has_lost_what_the_draft_lacks_alone(eva):
    """Another window has pressed Save and exit, for example."""
    type_and_leave_the_field(eva.page, "line1", "77 Never Lost Street")
    FlowSession.objects.all().delete()

    eva.press("#step .button")
    eva.page.wait_for_url("**ended=over")
    come_back(eva)
    eva.go_to("you")
    assert eva.page.input_value("#id_line1") == "77 Never Lost Street"
    FlowSession.objects.all().delete()
    eva.type({"city": "Boston"})
    eva.press("#step .button")

    eva.page.wait_for_url("**ended=lost")
