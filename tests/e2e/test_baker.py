"""A baker and a partner open an account, with everything that happens to people at home."""

import time
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, FlowSession, FormDraft, OwnerInvitation
from onboarding.services.access import links
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import CHECKS
from onboarding.services.leads.owner_parts import TEXTS
from onboarding.services.reviews import decisions
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.applicants import CODE, YOU
from tests.e2e.pictures import photograph
from tests.e2e.test_owner_part import PART
from tests.onboarding.services.reviews.test_decisions import REVIEWER

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]
MINUTE = timedelta(minutes=1)
SIZES = {"": {"width": 800, "height": 800}, "-phone": {"width": 375, "height": 667}}
BAKERY = {"business_name": "Harina y Sol Bakery and Cafe LLC", "ein": "12-3456789"}
NAMED = {"business_name": BAKERY["business_name"]}  # numbers are kept, and not shown again
OFFLINE = "Failed to load resource: net::ERR_INTERNET_DISCONNECTED"
TOUR = {"start", "code", "you", "business", "owners", "documents", "review", "status"}


@pytest.fixture(params=SIZES, ids=["computer", "phone"])
def size(request):
    return request.param


@pytest.fixture
def come(come, live_server, settings, size):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    return partial(come, locale="en-US", viewport=SIZES[size])


@pytest.fixture
def look(script, size):
    def look(person, name):
        """Check a page for accessibility and width, and photograph those of the tour."""
        assert axe.findings(person.page, script) == [], name
        assert browsing.overflow(person.page) == 0, name
        if name in TOUR:
            photograph(person.page, f"flow-{name}{size}")
        return person.page.locator("main").inner_text()

    return look


def switch(person, language):
    person.page.click(f"header button[value={language}]")
    person.page.wait_for_selector(f"html[lang={language}]")


def typed(person, names):
    return {name: person.page.input_value(f"#id_{name}") for name in names}


def wait_until_kept(page, values):
    """Wait until the script has sent what was typed."""
    for _attempt in range(100):
        draft = FormDraft.objects.filter(page=page).first()
        if draft and all(value in draft.content for value in values):
            return
        time.sleep(0.1)
    raise AssertionError(page)


def sign(person, name, texts):
    for text in texts:
        person.page.check(f"#id_{text}")
    person.page.fill("#id_signed_name", name)


def test_a_baker_with_a_partner_loses_nothing(come, look):
    lead = factories.make_lead(
        factories.make_partner(display_name="Northwind", support_email="help@example.com"),
        email="maria@example.com",
        business_name="Harina y Sol Bakery LLC",
    )
    location = links.location(factories.make_application(lead, at=timezone.now()))
    maria = come()
    page = maria.page

    page.goto(location)
    look(maria, "start")
    maria.press("main form .button")
    page.wait_for_selector("#id_code")
    look(maria, "code")
    page.fill("#id_code", CODE)
    maria.press("main form .button")

    # The language is switched twice while a form is half filled in, then the cookie is gone.
    maria.go_to("you")
    maria.type({"first_name": "María", "line1": YOU["line1"]})
    switch(maria, "es")
    look(maria, "you-es")
    maria.type({"last_name": "Soto"})
    switch(maria, "en")
    assert typed(maria, ["first_name", "last_name", "line1"]) == {
        "first_name": "María",
        "last_name": "Soto",
        "line1": YOU["line1"],
    }
    maria.type({"city": "New York"})
    wait_until_kept("you", ["New York"])
    maria.context.clear_cookies()
    page.click("#step .button")
    page.wait_for_url("**?ended=*")
    look(maria, "cookie-gone")
    maria.come_in(location)
    maria.go_to("you")
    assert typed(maria, ["first_name", "city"]) == {"first_name": "María", "city": "New York"}
    maria.type(YOU)
    look(maria, "you")
    page.click("#step .button")

    # The session ends while the business is filled in; Back, reload and a dead network follow.
    maria.go_to("business")
    page.check("[name=business_type][value=MMLLC]")
    page.check("[name=premises][value=HOME]")
    maria.type({**BAKERY, "incorporation_state": "New York", "ownership_percent": "60"})
    page.fill("#id_naics_code", "panadería")
    FlowSession.objects.update(expires_at=timezone.now() - MINUTE)
    page.click("#step .button.button:not(.find)")
    page.wait_for_url("**?ended=kept")
    assert "nothing is lost" in look(maria, "session-ended").lower()
    maria.come_in(location)
    maria.go_to("business")
    assert typed(maria, NAMED) == NAMED
    page.click("[name=then][value=search]")
    page.wait_for_selector("[name=industry_pick]")
    switch(maria, "es")
    assert "Panaderías y pastelerías" in look(maria, "business-es")
    switch(maria, "en")
    page.check("[name=industry_pick][value='311811']")
    look(maria, "business")
    page.go_back()
    page.go_forward()
    page.reload()
    assert typed(maria, NAMED) == NAMED
    maria.context.set_offline(True)
    page.fill("#id_title", "Managing member")
    page.wait_for_selector("#session:not(:empty)")
    look(maria, "offline")
    assert {*maria.faults} == {OFFLINE}
    maria.faults.clear()
    maria.context.set_offline(False)
    page.check("[name=industry_pick][value='311811']")
    page.click("#step .button:not(.find)")

    # Her partner fills in his own part; a second window shows the same list.
    maria.go_to("owners")
    other = maria.context.new_page()
    other.goto(page.url)
    page.click("a[href$='owners/ask']")
    maria.type({"first_name": "Grace", "last_name": "Hopper", "email": "grace@example.com"})
    maria.type({"ownership_percent": "40"})
    look(maria, "ask")
    page.click("#step .button")
    maria.go_to("owners")
    look(maria, "owners")
    other.reload()
    assert "Waiting for their part" in other.inner_text("main")
    other.close()
    page.click("#step .button")
    maria.go_to("documents")
    look(maria, "documents")
    maria.give({"ARTICLES_OF_ORGANIZATION": "articles.pdf"}, "button[name=next]")
    maria.go_to("review")
    switch(maria, "es")
    look(maria, "review-es")
    switch(maria, "en")
    sign(maria, "Maria Soto", [])
    page.click("#step .button")
    page.wait_for_selector("#summary")
    assert page.title().startswith("Error:")
    look(maria, "review-waiting")

    grace = come()
    grace.page.goto(links.owner_location(OwnerInvitation.objects.get()))
    look(grace, "part-start")
    grace.press("main form .button")
    grace.page.fill("#id_code", CODE)
    grace.press("main form .button")
    grace.go_to("details")
    grace.type(PART)
    switch(grace, "es")
    assert typed(grace, ["address_city"]) == {"address_city": "Arlington"}
    look(grace, "part-details-es")
    grace.press("#step .button")
    grace.go_to("sign")
    look(grace, "part-sign-es")
    sign(grace, "Grace Hopper", TEXTS)
    grace.press("#step .button")
    grace.go_to("completed")
    look(grace, "part-completed-es")

    page.goto(page.url.partition("?")[0])
    look(maria, "review")
    sign(maria, "Maria Soto", ["ELECTRONIC_RECORDS", "ACCOUNT_AGREEMENT", "PRIVACY_NOTICE"])
    page.check("#id_OWNERSHIP_CERTIFICATION")
    page.click("#step .button")
    maria.go_to("status")
    look(maria, "status")
    switch(maria, "es")
    look(maria, "status-es")

    application = Application.objects.get()
    assert application.status == Status.SUBMITTED
    assert application.lead.business_name == BAKERY["business_name"]
    assert application.lead.naics_code == "311811"
    assert application.lead.title == "Managing member"

    # The bank approves, and the page says so without a reload.
    lifecycle.move(application, Status.IN_REVIEW, by=CHECKS, at=timezone.now())
    decisions.approve(application, by=REVIEWER, at=timezone.now())
    page.wait_for_selector(f"#flow[data-status={Status.APPROVED}]")
    account = Application.objects.get().account
    ending = look(maria, "approved-es")
    assert account.masked_number in ending
    assert account.account_number not in ending
    switch(maria, "en")
    assert "After you sign in, you can:" in look(maria, "approved")
