"""Every page in a language with long words, and in one from right to left: nothing is cut off."""

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application
from onboarding.services.access import links, reminder_links
from onboarding.services.leads.owner_parts import TEXTS
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.applicants import Applicant
from tests.e2e.test_owner_part import PART
from tests.e2e.test_pages import PASSWORD, make_person
from tests.pseudo_locales import LONG, MIRRORED

STEPS = [
    *("you", "business", "owners", "owners/add", "owners/ask", "owners/holders/add"),
    *("documents", "review", "status", "withdraw"),
]
OWNER_PAGES = [
    "account",
    "account/accountants",
    "books",
    "connected-assistants",
    "connect",
    "second-factor",
]
ACCOUNTANT_PAGES = [
    "clients",
    "clients/referrals",
    "clients/firm",
    "connected-assistants",
    "connect",
    "second-factor",
]
SIZES = {"wide": (1280, 800), "phone": (375, 700)}
CUT_OFF = """
() => [...document.querySelectorAll("body *")].filter((element) => {
  const { overflowX, textOverflow, position } = getComputedStyle(element);
  const isHidden = position === "absolute" || !element.checkVisibility();
  return !isHidden && overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1;
}).map((element) => element.outerHTML.slice(0, 120))
"""
# Where a heading begins: at the left of its box, or at the right.
HEADING = """
() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector("main h1, main h2"));
  const text = range.getBoundingClientRect();
  const box = document.querySelector("main").getBoundingClientRect();
  return text.left - box.left < box.right - text.right ? "left" : "right";
}
"""

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("pseudo_locales"),
]


@pytest.fixture(params=[LONG, MIRRORED])
def reader(request, chromium, live_server, settings):
    """Somebody at a browser that asks for one of the languages."""
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    reader = Applicant(chromium, locale=request.param)
    reader.language = request.param
    yield reader
    reader.context.close()
    assert reader.faults == []


def faults_of(reader, script):
    """Return what is wrong with the page in each size."""
    page, faults = reader.page, []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        faults += [(size, found) for found in axe.findings(page, script)]
        faults += [(size, cut) for cut in page.evaluate(CUT_OFF)]
        if (wider := browsing.overflow(page)) > 0:
            faults.append((size, f"{wider} pixels too wide"))
    side = "right" if reader.language == MIRRORED else "left"
    if page.evaluate(HEADING) != side:
        faults.append(f"the heading does not begin at the {side}")
    return faults


def test_the_pages_of_the_application_fit(reader, script):
    lead = factories.make_lead(email="ada@example.com", first_name="Ada")
    application = factories.make_application(lead, at=timezone.now())
    reader.page.goto(links.location(application))
    found = {"start": faults_of(reader, script)}
    reader.come_in(links.location(application))
    reader.go_to("you")
    root = reader.page.url.removesuffix("you")

    for step in STEPS:
        reader.page.goto(root + step)
        found[step] = faults_of(reader, script)
    for status in Status:
        Application.objects.update(status=status, status_changed_at=timezone.now())
        reader.page.goto(f"{root}status")
        found[status] = faults_of(reader, script)

    assert {page: faults for page, faults in found.items() if faults} == {}


def test_the_pages_of_an_owners_own_part_fit(reader, script):
    lead = factories.make_lead(email="ada@example.com", first_name="Ada", last_name="Byron")
    factories.make_application(lead, status=Status.IN_PROGRESS, at=timezone.now())
    owner = factories.make_owner(lead, email="grace@example.com", ownership_percent=30)
    invitation = factories.make_invitation(owner, at=timezone.now())
    location = links.owner_location(invitation)
    reader.page.goto(location)
    found = {"start": faults_of(reader, script)}
    reader.press("main form .button")
    reader.page.wait_for_selector("#id_code")
    found["code"] = faults_of(reader, script)
    reader.page.fill("#id_code", "000000")
    reader.press("main form .button")
    reader.go_to("details")
    found["details"] = faults_of(reader, script)
    reader.press("#step .button")
    reader.page.wait_for_selector("#summary")
    found["details with errors"] = faults_of(reader, script)
    reader.type({"first_name": "Grace", "last_name": "Hopper", **PART})
    reader.press("#step .button")
    reader.go_to("sign")
    found["sign"] = faults_of(reader, script)
    for text in TEXTS:
        reader.page.check(f"#id_{text}")
    reader.page.fill("#id_signed_name", "Grace Hopper")
    reader.press("#step .button")
    reader.go_to("completed")
    found["completed"] = faults_of(reader, script)
    reader.page.goto(f"{location}/signed")
    found["signed"] = faults_of(reader, script)
    reader.page.goto(f"{location}/legal/{TEXTS[0]}")
    found["legal"] = faults_of(reader, script)

    assert {page: faults for page, faults in found.items() if faults} == {}


def test_the_pages_that_stop_reminders_fit(reader, script):
    lead = factories.make_lead(email="ada@example.com", first_name="Ada", last_name="Byron")
    application = factories.make_application(lead, status=Status.IN_PROGRESS, at=timezone.now())
    invitation = factories.make_invitation(factories.make_owner(lead), at=timezone.now())
    found = {}

    for location in (
        reminder_links.location(application),
        reminder_links.owner_location(invitation),
    ):
        reader.page.goto(location)
        found[location] = faults_of(reader, script)
        reader.press("main form .button")
        reader.page.wait_for_selector("[name=resume]")
        found[f"{location}, stopped"] = faults_of(reader, script)

    assert {page: faults for page, faults in found.items() if faults} == {}


def test_the_pages_of_an_accountant_fit(reader, script, live_server):
    user = make_person("priya@example.com", user_type="ACCOUNTANT")
    factories.make_accountant(user, firm_name="Oak & Ledger")
    page = reader.page
    page.goto(f"{live_server.url}/sign-in")
    page.fill("#id_username", "priya@example.com")
    page.fill("#id_password", PASSWORD)
    page.click("main form .button")
    page.wait_for_url("**/clients")
    found = {}

    for path in ACCOUNTANT_PAGES:
        answer = page.goto(f"{live_server.url}/{path}")
        assert answer.status == 200, path
        found[path] = faults_of(reader, script)

    assert {path: faults for path, faults in found.items() if faults} == {}


def test_the_pages_of_an_owner_fit(reader, script, live_server):
    user, business = make_person("maya@example.com"), factories.make_business()
    factories.make_business_owner(business, user=user)
    page = reader.page
    page.goto(f"{live_server.url}/sign-in")
    found = {"sign-in": faults_of(reader, script)}
    page.fill("#id_username", "maya@example.com")
    page.fill("#id_password", PASSWORD)
    page.click("main form .button")
    page.wait_for_url("**/account")

    for path in OWNER_PAGES:
        page.goto(f"{live_server.url}/{path}")
        found[path] = faults_of(reader, script)

    assert {path: faults for path, faults in found.items() if faults} == {}
