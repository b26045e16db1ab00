"""Every page in a language with long words, and in one from right to left: nothing is cut off."""

import re
from datetime import timedelta
from urllib.parse import urljoin

import pytest
from django.utils import timezone

from banking.choices import ReferralStatus
from banking.days import DAY
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Lead
from onboarding.services.access import links, reminder_links
from onboarding.services.applications import account_opening
from onboarding.services.customers import owner_changes
from onboarding.services.events.history import CHECKS
from onboarding.services.leads.owner_parts import TEXTS
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.applicants import Applicant
from tests.e2e.test_owner_part import PART
from tests.e2e.test_pages import PASSWORD, REFUSAL, make_person
from tests.onboarding.cases import load
from tests.onboarding.customers import make_customer, owner_of
from tests.onboarding.services.leads.test_submissions import make_complete, submit
from tests.pseudo_locales import LONG, MIRRORED

STEPS = [
    *("you", "business", "owners", "owners/add", "owners/ask", "owners/holders/add"),
    *("documents", "review", "status", "withdraw"),
]
OWNER_PAGES = [
    "account",
    "account/accountants",
    "account/changes",
    "account/changes/address",
    "account/changes/owners/add",
    "account/changes/owners/applicant",
    "password",
    "second-factor/app",
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


def test_the_pages_about_one_owner_and_one_trust_fit(reader, script):
    known = {"first_name": "Ada", "business_type": "MMLLC", "passport_number": "P1234567"}
    lead = factories.make_lead(email="ada@example.com", **known)
    application = factories.make_application(lead, status=Status.IN_PROGRESS, at=timezone.now())
    names = {"first_name": "Grace", "last_name": "Hopper"}
    grace = factories.make_owner(lead, ownership_percent=30, **names)
    alan = factories.make_owner(lead, first_name="Alan", last_name="Turing")
    factories.make_invitation(alan, at=timezone.now())
    trust = {"kind": "TRUST", "name": "Harbor Family Trust", "share_percent": 40}
    holder = lead.holders.create(**trust, created_at=timezone.now())
    holder.stakes.create(owner=alan, share_percent=50)
    reader.come_in(links.location(application))
    reader.go_to("you")
    page, root = reader.page, reader.page.url.removesuffix("you")
    paths = ["owners", f"owners/{grace.external_id}", f"owners/{grace.external_id}/remove"]
    paths += [f"owners/{alan.external_id}/{name}" for name in ("invitation", "take-over", "code")]
    paths += [f"owners/holders/{holder.external_id}{end}" for end in ("", "/remove")]
    found = {}

    for path in paths:
        page.goto(root + path)
        assert page.url == root + path
        found[path] = faults_of(reader, script)
    for form in ("owners/add", "owners/ask", "owners/holders/add", "business", "you"):
        page.goto(root + form)
        reader.press("#step .button")
        page.wait_for_selector("#summary")
        found[f"{form} with errors"] = faults_of(reader, script)
    page.goto(f"{root}documents")
    page.click("button[name=phone]")
    phone = page.inner_text(".address-of-phone")
    found["QR code"] = faults_of(reader, script)
    page.goto(phone)
    found["phone"] = faults_of(reader, script)
    reader.press("main .button")
    page.wait_for_url("**/photos")
    found["photos"] = faults_of(reader, script)

    assert {page: faults for page, faults in found.items() if faults} == {}


def test_the_ending_of_an_application_fits(reader, script, settings, tmp_path):
    settings.LETTER_SIGNING_FILE = tmp_path / "letter.pem"
    application = make_complete(email="ada@example.com")
    Application.objects.update(link_expires_at=timezone.now() + timedelta(days=30))
    factories.make_document(
        application.lead, status="REJECTED", status_reason="Unreadable.", file_name="a.pdf"
    )
    factories.make_note(application, is_for_applicant=True, text="Which floor?", at=timezone.now())
    reader.come_in(links.location(application))
    reader.page.wait_for_url(re.compile(r"/apply/[^/]+/(?!code)\w+$"))
    root = reader.page.url.rpartition("/")[0]
    submit(application, at=timezone.now())
    Lead.objects.update(edd_answers=[{"question": "Why cash?"}])
    account_opening.open_account(load(application), by=CHECKS, at=timezone.now())
    found = {}

    for status in [status for status in Status if not status.is_editable]:
        Application.objects.update(status=status, status_changed_at=timezone.now())
        reader.page.goto(f"{root}/status")
        for summary in reader.page.locator("main summary").all():
            summary.click()
        found[status] = faults_of(reader, script)
    for path in ("signed", "legal/PRIVACY_NOTICE"):
        reader.page.goto(f"{root}/{path}")
        found[path] = faults_of(reader, script)

    assert {page: faults for page, faults in found.items() if faults} == {}


def test_the_refusals_fit(reader, script, live_server):
    now = timezone.now()
    lead = factories.make_lead(email="ada@example.com", first_name="Ada")
    closed = factories.make_application(factories.make_lead(), status=Status.EXPIRED, at=now)
    expired = factories.make_application(lead, at=now)
    Application.objects.filter(pk=expired.pk).update(link_expires_at=now)
    part = factories.make_invitation(factories.make_owner(closed.lead), at=now)
    gone = factories.make_referral(status=ReferralStatus.EXPIRED)
    locations = {
        "no link": "/apply/nothing",
        "no link of an owner": "/apply/owner/nothing",
        "link of a phone": "/apply/phone/nothing",
        "closed": links.location(closed),
        "expired": links.location(expired),
        "part of an owner": links.owner_location(part),
        "referral": f"/join/{gone.invite_code}",
        "no page": "/join/nothing",
    }
    found = {}

    for name, location in locations.items():
        answer = reader.page.goto(urljoin(live_server.url, location))
        assert answer.status >= 400, name
        found[name] = faults_of(reader, script)
    reader.page.goto(locations["expired"])
    reader.press("main form .button")
    reader.page.wait_for_url("**/renew?**")
    found["mailed"] = faults_of(reader, script)

    reader.faults[:] = [fault for fault in reader.faults if not REFUSAL.match(fault)]
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
    accountant = factories.make_accountant(user, firm_name="Oak & Ledger")
    referral = factories.make_referral(accountant, expires_at=timezone.now() + DAY)
    page = reader.page
    page.goto(f"{live_server.url}/sign-in")
    page.fill("#id_username", "priya@example.com")
    page.fill("#id_password", PASSWORD)
    page.click("main form .button")
    page.wait_for_url("**/clients")
    found = {}

    of_referral = f"clients/referrals/{referral.external_id}"
    pages = [*ACCOUNTANT_PAGES, of_referral, f"{of_referral}/withdraw"]
    for path in [*pages, f"join/{referral.invite_code}"]:
        answer = page.goto(f"{live_server.url}/{path}")
        assert answer.status == 200, path
        found[path] = faults_of(reader, script)

    assert {path: faults for path, faults in found.items() if faults} == {}


def test_the_pages_of_an_owner_fit(reader, script, live_server):
    customer = make_customer(owners=[{"email": "grace@example.com", "ownership_percent": 20}])
    owner = owner_of(customer)
    owner.user.set_password(PASSWORD)
    owner.user.save()
    owner_changes.request_change(owner, {"title": "CEO"}, language="en", at=timezone.now())
    grace = customer.lead.owners.get()
    page = reader.page
    page.goto(f"{live_server.url}/sign-in")
    found = {"sign-in": faults_of(reader, script)}
    page.fill("#id_username", owner.user.email)
    page.fill("#id_password", PASSWORD)
    page.click("main form .button")
    page.wait_for_url("**/account")

    for path in [*OWNER_PAGES, f"account/changes/owners/{grace.external_id}"]:
        answer = page.goto(f"{live_server.url}/{path}")
        assert answer.status == 200, path
        found[path] = faults_of(reader, script)

    assert {path: faults for path, faults in found.items() if faults} == {}
