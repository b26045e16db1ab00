"""The embedded flow in a real browser: a partner's page and the bank's, on two sites."""

import base64
import json
import re
import threading
from contextlib import contextmanager
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from config.demo_host import Host, LeadApi
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Font
from onboarding.models import Application, FlowSession, Partner
from onboarding.services.applications.lifecycle import move
from onboarding.services.events.history import CHECKS, PARTNER
from onboarding.services.partners import appearance
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.pictures import photograph
from tests.id_pictures import card
from tests.onboarding.services.leads.test_submissions import ADDRESS, BUSINESS, PERSON

KEYS = {
    "ready": {"title"},
    "resize": {"height"},
    "step_changed": {"step"},
    "submitted": {"status"},
    "status_changed": {"status"},
    "documents_required": set(),
    "token_expired": set(),
    "exit": set(),
    "error": {"code"},
}
LISTEN = """
window.received = [];
addEventListener("message", ({ origin, data }) => received.push({ origin, data }));
"""

CHOOSE = "input[type=file]:not([capture])"
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def bank(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    return live_server.url


@contextmanager
def serving(api):
    with Host(0, api) as host:
        thread = threading.Thread(target=host.serve_forever)
        thread.start()
        yield host
        host.shutdown()
        thread.join()


@pytest.fixture
def partner(db):
    return factories.make_partner(name="Ledgerly", brand_color="#7a1f5c")


@pytest.fixture
def host(bank, partner):
    """The partner's web server; its origins are registered."""
    issued = factories.make_api_key(partner)
    api = LeadApi(bank, f"Vestibule {issued.key.access_key}:{issued.secret}")
    with serving(api) as host:
        appearance.admit_origins(partner, host.origins)
        yield host


TYPE_AT_ONCE = """() => document.addEventListener("htmx:afterSwap", ({ target }) => {
    const field = document.getElementById("id_business_name");
    if (target.id !== "flow" || !field || field.dataset.typed) return;
    field.dataset.typed = field.value = "Typed At Once LLC";
    field.dispatchEvent(new Event("input", { bubbles: true }));
})"""  # after the page's own scripts have heard of the page, before it settles


class Browser:
    """A window with the partner's page, and all that was said, asked for and stored in it."""

    def __init__(self, chromium, **options):
        self.context = chromium.new_context(viewport={"width": 1280, "height": 900}, **options)
        self.context.add_init_script(LISTEN)
        self.page = self.context.new_page()
        self.errors, self.hosts, self.headers = [], set(), []
        self.page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda asked: self.hosts.add(urlsplit(asked.url).netloc))
        self.page.on("response", lambda answer: self.headers.append(answer.all_headers()))

    @property
    def frame(self):
        return self.page.frame_locator("#application iframe")

    @property
    def received(self):
        return [each["data"] for each in self.page.evaluate("received")]

    def kinds(self):
        return [message["type"] for message in self.received]

    def wait_for(self, kind, **details):
        message = {"vestibule": 1, "type": kind, **details}
        self.page.wait_for_function(
            "wanted => received.some(({data}) => Object.entries(wanted)"
            ".every(([name, value]) => data[name] === value))",
            arg=message,
        )

    def handle(self, call):
        """Call the host's own handle on the flow."""
        self.page.evaluate(f"Vestibule.opened.application.{call}")


@pytest.fixture
def browse(chromium):
    opened = []

    def start(**options):
        opened.append(Browser(chromium, **options))
        return opened[-1]

    yield start
    for browser in opened:
        browser.context.close()


@pytest.fixture
def embedded(browse, host):
    """A window in which the flow has begun inside the partner's page."""
    browser = browse()
    browser.page.goto(host.origins[0])
    browser.frame.locator("h1").wait_for()
    browser.wait_for("status_changed")
    return browser


def complete(lead):
    """Fill in what nobody has supplied yet."""
    names = {"first_name": "Ada", "last_name": "Example", "business_type": "MMLLC"}
    for name, value in {**PERSON, **ADDRESS, **BUSINESS, **names}.items():
        setattr(lead, name, value)
    lead.save()
    owner = {**PERSON, "ssn": "223456789", "first_name": "Grace", "ownership_percent": 25}
    factories.make_owner(lead, **owner, address=ADDRESS, title="CTO")


def type_signature(frame):
    """Fill in the last page of the applicant in a frame."""
    frame.get_by_role("link", name="Review and sign").click()
    frame.locator("#id_signed_name").wait_for()
    for box in frame.locator("#step input[type=checkbox]").all():
        box.check()
    frame.locator("#id_signed_name").fill("Ada Example")


def application():
    return Application.objects.select_related("lead").get()


def test_the_flow_begins_inside_the_partners_page(embedded, host, bank):
    frame = embedded.frame

    assert urlsplit(host.origins[0]).hostname != urlsplit(bank).hostname
    assert frame.locator("#id_first_name").input_value() == "Ada"
    assert frame.locator(".brand").text_content().strip() == "Ledgerly"
    assert application().status == Status.IN_PROGRESS
    assert embedded.kinds()[0] == "ready"
    heights = [one["height"] for one in embedded.received if one["type"] == "resize"]
    assert min(heights) > 1000  # nothing is measured before the first page is there
    assert max(heights) <= 1.1 * heights[-1]  # the frame grows, and does not flicker
    assert {"vestibule": 1, "type": "step_changed", "step": "you"} in embedded.received
    assert {"vestibule": 1, "type": "status_changed", "status": "IN_PROGRESS"} in embedded.received
    photograph(embedded.page, "flow-embedded", full_page=False)


def test_nothing_is_stored_written_down_or_fetched_from_elsewhere(embedded, host, bank):
    token = embedded.page.request.post(
        f"{host.origins[0]}/token/{application().lead.external_id}"
    ).json()["token"]
    origins = {each["origin"] for each in embedded.page.evaluate("received")}
    kept, cookie, query = embedded.frame.locator("body").evaluate(
        "() => {"
        "  let kept = 0;"
        "  try { kept += localStorage.length; } catch { /* forbidden */ }"
        "  try { kept += sessionStorage.length; } catch { /* forbidden */ }"
        "  return [kept, document.cookie, location.search];"
        "}"
    )

    assert embedded.context.cookies() == []
    assert not any("set-cookie" in headers for headers in embedded.headers)
    assert (kept, cookie) == (0, "")
    assert query == "?scheme=light"
    assert origins == {bank}
    assert embedded.hosts == {urlsplit(host.origins[0]).netloc, urlsplit(bank).netloc}
    assert embedded.errors == []
    assert token not in embedded.page.content()


def test_each_step_is_saved_and_told(embedded):
    frame = embedded.frame

    frame.locator("#id_first_name").fill("Augusta")
    frame.locator("main button.button").first.click()
    frame.locator("#summary").wait_for()  # something is missing still
    frame.get_by_role("link", name="Business", exact=True).click()
    embedded.wait_for("step_changed", step="business")

    assert application().lead.first_name == "Augusta"
    assert embedded.errors == []


def test_an_applicant_signs_sends_documents_and_leaves_by_the_host(embedded):
    complete(application().lead)
    frame = embedded.frame
    type_signature(frame)

    frame.locator("form[action$=review] .button").click()
    frame.locator("#id_code").fill("000000")
    frame.locator("main form.card .button").first.click()
    embedded.wait_for("submitted", status="SUBMITTED")
    embedded.wait_for("step_changed", step="status")
    move(application(), Status.DOCUMENTS_REQUIRED, by=CHECKS, at=timezone.now())
    frame.locator("#bar button[value=en]").click()
    embedded.wait_for("documents_required")
    frame.locator("[data-exit]").click()
    embedded.page.locator("iframe").wait_for(state="detached")

    assert application().status == Status.DOCUMENTS_REQUIRED
    assert [kind for kind in embedded.kinds() if kind not in {"resize", "step_changed"}] == [
        "ready",
        "status_changed",
        "submitted",
        "status_changed",
        "status_changed",
        "documents_required",
        "exit",
    ]
    assert all(
        message.keys() - {"vestibule", "type"} == KEYS[message["type"]]
        for message in embedded.received
    )
    assert embedded.errors == []


def send(field, name, media_type, content):
    """Choose a file and wait until its page stands still: what moves under a click loses it."""
    field.set_input_files({"name": name, "mimeType": media_type, "buffer": content})
    field.page.frame_locator("#application iframe").get_by_text(f"Sent: {name}").wait_for(
        state="attached"
    )


def test_documents_are_sent_and_seen_without_a_cookie(embedded):
    frame = embedded.frame
    frame.get_by_role("link", name="Documents").click()

    send(frame.locator(CHOOSE).first, "id.png", "image/png", PICTURE)
    frame.get_by_role("link", name="id.png").click()
    image = frame.locator(".preview img")
    image.wait_for()
    seen = image.evaluate("node => node.decode().then(() => [node.src.slice(0, 5), node.alt])")
    frame.get_by_role("button", name="Close the preview").click()
    send(frame.locator(CHOOSE).last, "letter.pdf", "application/pdf", factories.PDF)
    with embedded.page.expect_download() as download:
        frame.get_by_role("link", name="letter.pdf").click()

    assert seen == ["blob:", "id.png"]
    assert download.value.suggested_filename == "letter.pdf"
    assert download.value.path().read_bytes() == factories.PDF
    assert frame.locator(".preview").count() == 0
    assert embedded.context.cookies() == []
    assert embedded.errors == []


def test_a_frame_is_light_in_a_page_that_never_is_dark(browse, host):
    browser = browse(color_scheme="dark")
    browser.page.goto(host.origins[0])
    browser.wait_for("status_changed")

    color = browser.frame.locator("body").evaluate("node => getComputedStyle(node).backgroundColor")

    assert color == "rgb(244, 247, 248)"


def test_a_wrong_value_is_announced_where_it_is(embedded):
    frame = embedded.frame
    frame.locator("#id_phone_number").fill("1")

    frame.locator("main button.button").first.click()

    summary = frame.locator("#summary")
    summary.wait_for()
    assert summary.evaluate("node => node === document.activeElement")
    assert embedded.page.evaluate("document.activeElement.tagName") == "IFRAME"


def test_the_heading_is_announced_when_another_step_comes(embedded):
    embedded.frame.get_by_role("link", name="Documents").click()

    heading = embedded.frame.locator("h1:focus")
    heading.wait_for()
    assert heading.text_content() == "Documents"


def test_the_frame_is_as_high_as_what_stands_in_it(embedded):
    embedded.wait_for("resize")
    embedded.page.wait_for_timeout(200)

    inside = embedded.frame.locator("body").evaluate("node => node.offsetHeight")
    outside = embedded.page.locator("iframe").evaluate("node => node.clientHeight")
    scrolls = embedded.frame.locator("html").evaluate(
        "node => node.scrollHeight > node.clientHeight"
    )

    assert (inside, scrolls) == (outside, False)


def test_the_pages_wear_the_look_of_the_partner(embedded):
    assert embedded.frame.locator("#bar").is_visible()
    Partner.objects.update(font=Font.SERIF, corner_radius=3, hides_header=True)
    embedded.page.reload()

    color, radius, font = embedded.frame.locator("main button.button").first.evaluate(
        "node => [getComputedStyle(node).backgroundColor, getComputedStyle(node).borderRadius,"
        " getComputedStyle(node).fontFamily]"
    )
    assert (color, radius) == ("rgb(122, 31, 92)", "3px")
    assert font.startswith("ui-serif")
    assert embedded.frame.locator(".brand").is_hidden()


def test_no_message_carries_more_than_its_keys(embedded):
    embedded.frame.get_by_role("link", name="Owners").click()
    embedded.wait_for("step_changed", step="owners")

    for message in embedded.received:
        assert message.keys() - {"vestibule", "type"} == KEYS[message["type"]]
    assert not re.search("Ada|example.com|Bakery|Analytical", json.dumps(embedded.received))


def test_a_page_of_another_origin_cannot_show_the_flow(browse, host, partner):
    partner.embed_origins = ["https://app.example.com"]
    partner.save()
    browser = browse()

    browser.page.goto(host.origins[0])

    browser.page.wait_for_timeout(1500)
    assert any("frame-ancestors" in error for error in browser.errors)
    assert browser.received == []
    assert application().status == Status.CREATED


def test_a_used_token_opens_nothing_and_the_host_is_told(browse, host):
    browser = browse()
    with browser.page.expect_response(f"{host.origins[0]}/") as answer:
        browser.page.goto(host.origins[0])
    used = re.search(r'data-token="([^"]+)"', answer.value.text())[1]
    browser.wait_for("status_changed")
    browser.page.uncheck("#renew")
    customer = str(application().lead.external_id)

    opening = {"token": used, "targetDiv": "application", "externalId": customer}
    browser.page.evaluate("options => { Vestibule.open(options); }", opening)
    browser.wait_for("token_expired")

    assert browser.frame.locator("h1").text_content() == "Your session has ended"
    assert application().flow_sessions.count() == 1


@pytest.mark.parametrize(
    ("locale", "title"),
    [
        ("en-US", "Application for a business account"),
        ("es-MX", "Solicitud de una cuenta comercial"),
    ],
)
def test_the_title_of_the_frame_is_in_the_language_of_its_pages(browse, host, locale, title):
    browser = browse(locale=locale)
    browser.page.goto(host.origins[0])

    browser.wait_for("ready")
    assert browser.page.get_attribute("iframe", "title") == title


def test_the_applicant_chooses_the_language(embedded):
    frame = embedded.frame

    frame.locator("#bar button[value=es]").click()
    frame.locator("html[lang=es]").wait_for()
    frame.locator(".steps a").nth(3).click()
    embedded.wait_for("step_changed", step="documents")

    assert frame.locator("#bar [aria-pressed=true]").text_content() == "Español"
    assert application().flow_sessions.get().language == "es"
    assert embedded.context.cookies() == []


def test_a_host_hands_in_a_fresh_token_and_nothing_typed_is_lost(embedded):
    application().flow_sessions.all().delete()
    frame = embedded.frame
    frame.locator("#id_first_name").fill("Augusta")

    frame.locator("main button.button").first.click()
    embedded.wait_for("token_expired")
    frame.locator("#notice").filter(has_text="ended").wait_for(state="hidden")
    embedded.page.wait_for_timeout(500)

    assert application().lead.first_name == "Augusta"
    assert application().flow_sessions.count() == 1


def test_a_fresh_token_that_nobody_waits_for_takes_nothing_typed(embedded):
    field = embedded.frame.locator("#id_first_name")
    field.fill("Augusta")

    with embedded.page.expect_response("**/session"):
        embedded.page.click("#fresh")
    embedded.page.wait_for_timeout(500)

    assert field.input_value() == "Augusta"
    assert application().flow_sessions.count() == 2


def test_back_and_forward_lead_through_the_pages_of_the_frame(embedded, host):
    frame = embedded.frame
    frame.get_by_role("link", name="Business", exact=True).click()
    embedded.wait_for("step_changed", step="business")
    frame.get_by_role("link", name="Documents", exact=True).click()
    embedded.wait_for("step_changed", step="documents")

    embedded.page.evaluate("history.back()")
    frame.locator("#id_business_name").fill("Typed Before Back LLC")
    embedded.page.evaluate("history.back()")
    frame.locator("#id_first_name").wait_for()
    embedded.page.evaluate("history.forward()")

    assert frame.locator("#id_business_name").input_value() == "Typed Before Back LLC"
    assert embedded.page.url.rstrip("/") == host.origins[0]
    assert embedded.errors == []


def test_what_is_typed_while_a_page_appears_is_kept(embedded):
    frame = embedded.frame
    frame.locator("body").evaluate(TYPE_AT_ONCE)

    with embedded.page.expect_response(lambda answer: answer.request.method == "PATCH"):
        frame.get_by_role("link", name="Business", exact=True).click()
        embedded.wait_for("step_changed", step="business")
        frame.locator("#id_business_name").dispatch_event("change")
    frame.get_by_role("link", name="Documents", exact=True).click()
    embedded.wait_for("step_changed", step="documents")
    embedded.page.evaluate("history.back()")

    assert frame.locator("#id_business_name").input_value() == "Typed At Once LLC"


def test_back_from_a_page_that_redirects_does_not_come_back_to_it(embedded):
    move(application(), Status.WITHDRAWN, by=PARTNER, at=timezone.now())
    frame = embedded.frame
    frame.get_by_role("link", name="Business", exact=True).click()
    embedded.wait_for("status_changed", status="WITHDRAWN")
    length = embedded.page.evaluate("history.length")

    embedded.page.evaluate("history.back()")
    frame.locator("#flow[data-step=status]").wait_for()

    assert embedded.page.evaluate("history.length") == length


def test_an_origin_that_the_bank_does_not_know_is_named_at_once(browse, bank, partner):
    issued = factories.make_api_key(partner)
    with serving(LeadApi(bank, f"Vestibule {issued.key.access_key}:{issued.secret}")) as host:
        page = browse().page
        page.clock.install()
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(host.origins[0])

        page.clock.fast_forward("00:02")  # the frame had 20 seconds, but it is loaded
        page.get_by_text(f"error not_ready {host.origins[0]}").wait_for()

    assert any(f"must know the origin {host.origins[0]}" in text for text in said)


def test_what_the_partner_changes_is_told_while_the_page_is_open(embedded):
    move(application(), Status.WITHDRAWN, by=PARTNER, at=timezone.now())

    embedded.frame.get_by_role("link", name="Business", exact=True).click()

    embedded.wait_for("status_changed", status="WITHDRAWN")
    assert "submitted" not in embedded.kinds()


def test_closing_leaves_nothing_behind(embedded):
    embedded.handle("close()")

    assert embedded.page.locator("iframe").count() == 0
    assert embedded.page.evaluate("Object.keys(Vestibule.opened)") == []


def test_a_stranger_in_the_page_is_not_listened_to(embedded):
    before = len(embedded.received)
    messages = embedded.page.locator("#messages li").count()

    embedded.page.evaluate("postMessage({vestibule: 1, type: 'exit'}, '*')")
    embedded.page.wait_for_function("before => received.length > before", arg=before)

    assert embedded.page.locator("#messages li").count() == messages
    assert embedded.page.locator("iframe").count() == 1


@pytest.mark.parametrize("place", [0, 1], ids=["of the same origin", "of another known origin"])
def test_a_token_of_another_window_than_the_hosts_is_not_taken(browse, host, place):
    """A page that opened the host's window could let its visitor type into another application."""
    opener = browse()
    opener.page.goto(host.origins[place])
    opener.wait_for("status_changed")
    with opener.context.expect_page() as opened:
        opener.page.evaluate("address => { window.host = open(address); }", host.origins[0])
    frame = opened.value.frame_locator("#application iframe")
    frame.locator("#id_first_name").wait_for()
    sessions = FlowSession.objects.count()

    opener.page.evaluate(
        "host.frames[0].postMessage({vestibule: 1, type: 'token', token: 'another'}, '*')"
    )
    opened.value.wait_for_timeout(1000)

    assert frame.locator("#id_first_name").is_visible()
    assert frame.locator("#notice").text_content().strip() == ""
    assert FlowSession.objects.count() == sessions


def test_the_frame_alone_says_where_it_belongs(browse, bank, host):
    lead = factories.make_lead()
    browser = browse()

    browser.page.goto(f"{bank}/connect/v1/frame/{lead.external_id}")

    assert "You cannot open this page directly" in browser.page.text_content("h1")


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("locale", ["en-US", "es-MX"])
def test_anybody_can_use_each_step_in_the_frame(browse, host, script, locale, width):
    browser = browse(locale=locale)
    browser.page.set_viewport_size({"width": width, "height": 800})
    browser.page.goto(host.origins[0])
    browser.wait_for("status_changed")
    steps, faults = browser.frame.locator(".steps a"), []

    for number, step in enumerate(["you", "business", "owners", "documents", "review"]):
        steps.nth(number).click()
        browser.frame.locator(f"#flow[data-step={step}] h1:focus").wait_for()
        faults += [(step, found) for found in axe.findings(browser.page.frames[1], script)]
        if browser.frame.locator("html").evaluate("node => node.scrollWidth > node.clientWidth"):
            faults.append((step, "too wide"))

    assert browser.frame.locator("html").get_attribute("lang") == locale[:2]
    assert axe.findings(browser.page, script) == []
    assert browsing.overflow(browser.page) <= 0
    assert faults == []


def test_a_switch_of_language_saves_what_was_typed(embedded):
    frame = embedded.frame
    frame.locator("#id_first_name").fill("Augusta")
    frame.locator("#id_phone_number").fill("12")

    frame.locator("#bar button[value=es]").click()
    frame.locator("html[lang=es]").wait_for()

    assert application().lead.first_name == "Augusta"
    assert frame.locator("#id_phone_number").input_value() == "12"
    assert application().flow_sessions.get().language == "es"


def test_a_page_that_is_loaded_anew_after_the_end_of_the_session_has_what_was_typed(embedded, host):
    application().flow_sessions.update(expires_at=timezone.now())
    embedded.page.uncheck("#renew")
    embedded.frame.locator("#id_first_name").fill("Augusta")
    embedded.frame.locator("#step .button").click()
    embedded.wait_for("token_expired")

    customer = application().lead.external_id
    token = embedded.page.request.post(f"{host.origins[0]}/token/{customer}").json()["token"]
    opening = {"token": token, "targetDiv": "application", "externalId": str(customer)}
    embedded.page.evaluate(
        "options => { Vestibule.opened.application.close(); Vestibule.open(options); }", opening
    )

    field = embedded.frame.locator("#id_first_name")
    field.wait_for()
    assert field.input_value() == "Augusta"
    assert "We kept what you typed here" in embedded.frame.locator("main").text_content()


def test_back_saves_and_stays_in_the_frame(embedded):
    frame = embedded.frame
    frame.get_by_role("link", name="Business", exact=True).click()
    embedded.wait_for("step_changed", step="business")
    frame.locator("#id_business_name").fill("Bread LLC")

    frame.get_by_role("button", name="Back").click()
    frame.locator("#flow[data-step=you]").wait_for()

    assert application().lead.business_name == "Bread LLC"
    assert embedded.errors == []


def test_a_session_that_ends_while_the_applicant_types_is_announced_and_loses_nothing(
    embedded, script
):
    frame, sessions = embedded.frame, application().flow_sessions
    sessions.update(expires_at=timezone.now() - timedelta(minutes=1))
    embedded.page.uncheck("#renew")
    with embedded.page.expect_response(lambda answer: answer.request.method == "PATCH"):
        frame.locator("#id_first_name").fill("Augusta")
        frame.locator("#id_first_name").press("Tab")

    frame.locator("#session[role=alert]").filter(has_text="Your session ended").wait_for()
    faults = axe.findings(embedded.page.frames[1], script)
    embedded.page.check("#renew")
    frame.locator("main button.button").first.click()
    embedded.wait_for("token_expired")
    frame.locator("#summary").wait_for()

    assert faults == []
    assert application().lead.first_name == "Augusta"


def test_a_phone_sends_the_pictures_of_an_identification_for_a_frame(embedded, browse):
    lead = application().lead
    lead.passport_number, lead.ssn = "P1234567", ""
    lead.save()
    embedded.frame.locator("nav a[href$=documents]").click()
    embedded.frame.locator("button[name=phone]").click()
    phone = browse(locale="en-US").page
    phone.goto(embedded.frame.locator(".address-of-phone").inner_text())
    phone.click("main .button")
    phone.wait_for_url("**/photos")

    picture = {"name": "image.png", "mimeType": "image/png", "buffer": card()}
    phone.set_input_files("#camera-front-OWN", picture)

    phone.wait_for_selector("text=Continue on your computer")
    embedded.frame.locator("text=We have received your photos.").wait_for()
    embedded.frame.locator("main .button").click()
    embedded.frame.locator(".files .name").get_by_text("image.png").wait_for()
    assert application().lead.documents.get().llc_file_type == "PASSPORT"
    assert embedded.errors == []
