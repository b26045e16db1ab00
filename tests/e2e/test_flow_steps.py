"""The steps about the applicant, the business and its owners in a real browser."""

import re
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from onboarding.models import Lead, Owner
from onboarding.services.access import links
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.applicants import fill_day

LOOKS = [(1280, 800, "dark"), (375, 700, "light")]
LANGUAGES = ["en-US", "es-MX"]
NOT_FOUND = re.compile(r"Failed to load resource: the server responded with a status of 404")
ADDRESS = {"line1": "2 Cobol Street", "city": "Arlington", "state": "VA", "postal_code": "22201"}
OWNER = {
    "first_name": "Alan",
    "last_name": "Example",
    "email": "alan@example.com",
    "phone_number": "202-555-0125",
    "birth_date": "1980-02-29",
    "ownership_percent": "12.5",
    "address_line1": "3 Enigma Street",
    "address_city": "Arlington",
    "address_postal_code": "22201",
    "ssn": "223-45-6782",
}

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def application(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    lead = factories.make_lead(
        first_name="Ada",
        last_name="Example",
        phone_number="+12025550123",
        birth_date="1985-12-10",
        ssn="123456789",
        ein="123456789",
        business_name="Analytical Engines LLC",
        business_address=ADDRESS,
        naics_code="541511",
        ownership_percent=Decimal(40),
        edd_answers=[{"question": "Source of funds?"}],
        **ADDRESS,
    )
    factories.make_owner(lead, first_name="Grace", ownership_percent=Decimal("30.5"))
    return factories.make_application(lead, at=timezone.now())


@pytest.fixture
def browse(chromium, application, live_server):
    """Come in, in windows of their own; pages ask no other host and break no rule of theirs."""
    opened, faults = [], []
    root = f"/apply/{links.derive_link(application)}"

    def come_in(page, **options):
        context = chromium.new_context(base_url=f"{live_server.url}{root}/", **options)
        opened.append(context)
        tab = context.new_page()
        tab.on("console", lambda said: said.type == "error" and faults.append(said.text))
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.on("request", lambda request: is_ours(request.url) or faults.append(request.url))
        tab.goto(root)
        tab.click("main .button")
        tab.fill("input[name=code]", "000000")
        tab.click("main .button")
        tab.goto(page)
        return tab

    def is_ours(url):
        return urlsplit(url).netloc == urlsplit(live_server.url).netloc

    yield come_in
    for context in opened:
        context.close()
    assert [fault for fault in faults if not NOT_FOUND.match(fault)] == []


def faults_of(page, script):
    """Return what is wrong with a page as it is shown now, wide and dark, narrow and light."""
    faults = []
    for width, height, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        where = (urlsplit(page.url).path.split("/", 3)[-1], width)
        faults += [(where, found) for found in axe.findings(page, script)]
        if (wider := browsing.overflow(page)) > 0:
            faults.append((where, f"{wider} pixels too wide"))
    return faults


def faults_when_blank(page, script):
    """Return what is wrong with a page that is sent as it is, with all that it hides open."""
    save(page)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    return faults_of(page, script)


def save(page):
    page.click("main form .button")


def fill_in(page, values):
    for name, value in values.items():
        fill_day(page, name, value) if name == "birth_date" else page.fill(f"#id_{name}", value)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_steps(browse, script, locale):
    page = browse("you", locale=locale)
    grace = f"owners/{Owner.objects.get().external_id}"
    faults = []

    for path in ["you", "business", "owners", grace, f"{grace}/remove", f"{grace[:-4]}0000"]:
        page.goto(path)
        faults += faults_of(page, script)
    page.goto("business")
    page.check("[name=mailing][value=OTHER]")
    faults += faults_when_blank(page, script)
    page.fill("#id_naics_code", "bakery")
    page.click(".find")
    page.wait_for_selector("[name=industry_pick]")
    faults += faults_of(page, script)
    page.goto("owners/add")
    faults += faults_when_blank(page, script)

    assert faults == []


def test_the_sum_follows_what_is_typed(browse):
    page = browse("owners/add", locale="es-MX")
    total, too_much = page.locator("output"), page.locator("[data-too-much]")

    seen = [(total.text_content(), too_much.is_visible())]
    for typed in ("29,5", "29.6", "-3", "x"):
        page.fill("#id_ownership_percent", typed)
        seen.append((total.text_content(), too_much.is_visible()))

    none = ("70,5%", False)
    assert seen == [none, ("100%", False), ("100,1%", True), none, none]


def test_a_keyboard_is_enough(browse):
    page = browse("you")

    def focused():
        return page.evaluate("document.activeElement.id")

    page.keyboard.press("Tab")
    skip = focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    first = focused()
    page.keyboard.press("Control+A")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    page.wait_for_selector("#summary")
    summary = focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert (skip, first, summary, focused()) == ("skip", "id_first_name", "summary", first)
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_without_scripts_what_does_not_apply_is_not_asked(browse):
    page = browse("business", java_script_enabled=False)

    def shown(*names):
        return [page.is_visible(f"#id_{name}") for name in names]

    page.check("[name=premises][value=OTHER]")
    more = "[name=then][value=mailing]"
    before = [*shown("ein", "incorporation_state", "business_address_state"), page.is_visible(more)]
    page.check("[name=business_type][value=SSN]")
    page.check("[name=mailing][value=OTHER]")
    after = [*shown("ein", "incorporation_state", "business_address_state"), page.is_visible(more)]

    assert (before, after) == ([True, True, True, False], [False, False, True, True])
    page.click(more)
    page.wait_for_selector("#id_mailing_address_city")
    assert page.is_checked("[name=mailing][value=OTHER]")


def test_with_scripts_the_fields_of_a_mailing_address_appear_when_it_is_chosen(browse):
    page = browse("business")

    page.check("[name=mailing][value=OTHER]")

    page.wait_for_selector("#id_mailing_address_city")
    assert page.locator("#summary").count() == 0


@pytest.mark.parametrize("has_script", [True, False])
def test_an_industry_is_found_and_chosen(browse, has_script):
    page = browse("business", java_script_enabled=has_script)
    page.fill("#id_naics_code", "bakery")

    page.press("#id_naics_code", "Enter")
    page.check("[name=industry_pick][value='311811']")
    is_wrong = page.locator("#id_naics_code_error").count()
    page.click(".find")
    page.wait_for_selector(".found")

    assert page.text_content(".found") == "Retail Bakeries"
    assert Lead.objects.get().naics_code == "311811"
    assert is_wrong == (0 if has_script else 1)


@pytest.mark.parametrize(("locale", "germany"), [("en-US", "Germany"), ("es-MX", "Alemania")])
def test_abroad_no_state_is_asked_for(browse, locale, germany):
    page = browse("owners/add", locale=locale)

    before = page.is_visible("#id_address_state")
    page.fill("#id_address_country", "reino unido")
    page.locator(f"datalist option[value={germany}]").wait_for(state="attached")
    page.press("#id_address_country", "Tab")

    assert (before, page.is_visible("#id_address_state")) == (True, False)


def test_without_scripts_an_applicant_gets_to_the_documents(browse):
    page = browse("you", java_script_enabled=False)
    save(page)
    page.check("[name=business_type][value=MMLLC]")
    page.fill("#id_incorporation_state", "DE")
    page.fill("#id_edd_answers_0", "Sales")
    save(page)
    page.click("text=Add an owner")
    page.fill("#id_address_state", "Virginia")
    fill_in(page, OWNER)
    save(page)
    total = page.text_content("output")
    page.check("[name=person] >> nth=2")
    save(page)

    alan = Owner.objects.get(email="alan@example.com")
    assert page.url.endswith("/documents")
    assert total == "83%"
    assert (alan.is_control_person, alan.ssn, alan.address["country"]) == (True, "223456782", "US")
    assert Lead.objects.get().edd_answers == [{"question": "Source of funds?", "answer": "Sales"}]
