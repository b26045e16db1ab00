"""The documents of an application in a real browser: with and without scripts, on a phone."""

import re

import pytest
from django.utils import timezone

from onboarding.models import Document, DocumentRule
from onboarding.services.access import links
from tests import factories
from tests.e2e import axe, browsing

PDF = b"%PDF-1.7\n% of a test\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
SIZES = {"wide": (1280, 800), "phone": (375, 700)}
RULES = {
    "ARTICLES_OF_ORGANIZATION": ["ARTICLES_OF_ORGANIZATION"],
    "EIN_PROOF": ["IRS_EIN_LETTER", "SS4_DOCUMENT"],
    "OPERATING_AGREEMENT": ["OPERATING_AGREEMENT"],
}
LANGUAGES = ["en-US", "es-MX"]
BROKEN_OFF = re.compile(r"Failed to load resource: net::ERR_CONNECTION_RESET|htmx:(afterR|sendE)")

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def application(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    for code, kinds in RULES.items():  # the rows of migrations may be flushed by now
        defaults = {"accepted_types": kinds, "message": f"The {code.lower()}."}
        DocumentRule.objects.update_or_create(business_type="MMLLC", code=code, defaults=defaults)
    partner = factories.make_partner(display_name="Northwind")
    lead = factories.make_lead(partner, business_type="MMLLC", first_name="Ada", last_name="Byron")
    return factories.make_application(lead, at=timezone.now())


@pytest.fixture
def browse(chromium, application, live_server):
    """Open the documents in windows of their own; none may break the content security policy."""
    opened, faults = [], []

    def come_in(page="documents", **options):
        context = chromium.new_context(base_url=live_server.url, **options)
        opened.append(context)
        tab = context.new_page()
        tab.on("console", lambda said: said.type == "error" and faults.append(said.text))
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.goto(f"/apply/{links.derive_link(application)}")
        tab.locator("main .button").click()
        tab.fill("input[name=code]", "000000")
        tab.locator("main .button").click()
        tab.wait_for_url(re.compile("/(you|status)$"))
        tab.goto(f"/apply/{links.derive_link(application)}/{page}")
        return tab

    yield come_in
    for context in opened:
        context.close()
    assert [fault for fault in faults if not BROKEN_OFF.match(fault)] == []


def a_file(name="letter.pdf", content=PDF, mime="application/pdf"):
    return {"name": name, "mimeType": mime, "buffer": content}


def files_of(slot):
    return f"#files-{slot}"


def shown_in(slot):
    return f"#{slot} .files .name"


def open_other(page):
    """Unfold the fields for a document that nobody asked for."""
    assert not page.is_visible(files_of("OTHER"))
    page.click("#OTHER .more summary")


def send_slowly(page, bytes_per_second=400_000):
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    limits = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes_per_second}
    devtools.send("Network.emulateNetworkConditions", {"offline": False, **limits})


def test_files_are_sent_as_soon_as_they_are_chosen(browse):
    page = browse()

    page.check("input[value=SS4_DOCUMENT]")
    page.set_input_files(
        files_of("EIN_PROOF"), [a_file("a.pdf"), a_file("b.png", PNG, "image/png")]
    )

    page.wait_for_selector(shown_in("EIN_PROOF"))
    assert page.locator(shown_in("EIN_PROOF")).count() == 2
    assert "Complete" in page.inner_text("#EIN_PROOF")
    page.wait_for_selector("#EIN_PROOF summary:focus")
    assert page.inner_text("body > [role=status]") == "Sent: a.pdf, b.png"
    assert {one.llc_file_type for one in Document.objects.all()} == {"SS4_DOCUMENT"}


def test_a_bar_shows_how_far_it_is_and_the_next_choice_waits(browse):
    page = browse()
    open_other(page)
    send_slowly(page)

    page.set_input_files(files_of("EIN_PROOF"), a_file("large.pdf", PDF + bytes(1_200_000)))
    page.set_input_files(files_of("OTHER"), a_file("next.pdf"))

    page.wait_for_selector("#EIN_PROOF progress:not([value='0'])")
    assert re.search(r"Sending: large.pdf \(\d+%\)", page.inner_text("#EIN_PROOF"))
    assert "Waiting: next.pdf" in page.inner_text("#OTHER")
    page.wait_for_selector(shown_in("EIN_PROOF"))
    page.wait_for_selector(shown_in("OTHER"))
    assert Document.objects.count() == 2


def test_whoever_goes_on_too_early_goes_on_when_all_is_there(browse):
    page = browse()
    send_slowly(page)

    page.set_input_files(files_of("EIN_PROOF"), a_file("large.pdf", PDF + bytes(800_000)))
    page.click("button[name=next]")

    page.wait_for_url("**/review")
    assert Document.objects.count() == 1


def test_an_upload_that_breaks_off_says_so_and_is_repeated(browse):
    page = browse()
    page.route("**/documents", lambda route: route.abort("connectionreset"))
    page.set_input_files(files_of("EIN_PROOF"), a_file())

    page.wait_for_selector("#EIN_PROOF .wrong")
    assert "The upload was interrupted" in page.inner_text("#EIN_PROOF")
    assert not Document.objects.exists()

    page.unroute("**/documents")
    page.click("#EIN_PROOF .upload button")

    page.wait_for_selector(shown_in("EIN_PROOF"))
    assert Document.objects.get().file_name == "letter.pdf"


def test_what_is_too_large_is_not_even_sent(browse):
    page = browse()

    open_other(page)
    page.set_input_files(files_of("OTHER"), a_file(content=PDF + bytes(11 * 1024**2)))

    assert "One of your files is larger than 10 MB" in page.inner_text("#OTHER .wrong")
    assert page.input_value(files_of("OTHER")) == ""


def test_what_cannot_be_used_is_said_at_once(browse):
    page = browse()

    open_other(page)
    page.set_input_files(files_of("OTHER"), a_file("bill.pdf", b"<script>alert(1)</script>"))

    page.wait_for_selector("#summary:focus")
    assert "“bill.pdf” cannot be used" in page.inner_text("#summary")
    page.click("#summary a")
    assert page.evaluate("location.hash") == "#files-OTHER"


def test_a_file_is_replaced_and_looked_at(browse, application):
    old = factories.make_document(application.lead, llc_file_type="OPERATING_AGREEMENT")
    page = browse()

    page.click("#OPERATING_AGREEMENT .files summary")
    page.set_input_files(f"#replacement-{old.external_id}", a_file("new.png", PNG, "image/png"))

    page.wait_for_selector(f"{shown_in('OPERATING_AGREEMENT')}:has-text('new.png')")
    assert page.locator(shown_in("OPERATING_AGREEMENT")).count() == 1
    with page.context.expect_page() as opened:
        page.click(f"{shown_in('OPERATING_AGREEMENT')} a")
    new = Document.objects.exclude(pk=old.pk).get()
    assert opened.value.url.endswith(f"/documents/{new.external_id}")


def test_without_scripts_every_button_takes_the_files_along(browse):
    page = browse(java_script_enabled=False)

    page.set_input_files(files_of("EIN_PROOF"), [a_file("a.pdf"), a_file("b.pdf", PDF + b"b")])
    open_other(page)
    page.set_input_files(files_of("OTHER"), a_file("empty.pdf", b""))
    page.click("[data-send]")

    assert "“empty.pdf” was not sent: it is empty." in page.inner_text("#summary")
    assert page.locator(shown_in("EIN_PROOF")).count() == 2
    page.set_input_files(files_of("OTHER"), a_file("other.pdf"))
    page.click("button[name=next]")
    assert page.url.endswith("/review")
    assert Document.objects.count() == 3


def test_fields_for_files_have_the_words_of_the_page(browse, application):
    old = factories.make_document(application.lead, llc_file_type="OPERATING_AGREEMENT")
    page, plain = browse(locale="es-MX"), browse(locale="es-MX", java_script_enabled=False)
    words = {"EIN_PROOF": "Elegir archivos", f"replacement-{old.external_id}": "Elegir un archivo"}
    page.click("#OPERATING_AGREEMENT .files summary")

    for name, said in words.items():
        field = page.locator(f"[data-upload='{name}'] .pick, [data-upload='files-{name}'] .pick")
        shown, sent = field.first.locator("> :first-child"), field.first.locator("input")
        assert shown.inner_text().startswith(said)
        assert sent.evaluate("one => getComputedStyle(one).opacity") == "0"
        assert sent.bounding_box() == shown.bounding_box()
        sent.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        assert shown.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    with page.expect_file_chooser() as chooser:
        sent.press("Space")
    chooser.value.set_files(a_file("new.pdf", PDF + b"new"))
    page.wait_for_selector(f"{shown_in('OPERATING_AGREEMENT')}:has-text('new.pdf')")
    native = plain.locator(files_of("EIN_PROOF"))
    assert native.evaluate("one => getComputedStyle(one).opacity") == "1"


def test_a_phone_has_a_camera_and_a_computer_has_none(browse):
    size = {"width": 375, "height": 700}
    phone = browse(viewport=size, is_mobile=True, has_touch=True)
    camera = phone.locator("#camera-EIN_PROOF")

    assert camera.is_visible()
    assert camera.get_attribute("capture") == "environment"
    assert browsing.overflow(phone) == 0
    camera.set_input_files(a_file("photo.png", PNG, "image/png"))
    phone.wait_for_selector(shown_in("EIN_PROOF"))
    assert not browse().locator("#camera-ARTICLES_OF_ORGANIZATION").is_visible()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_nothing_keeps_anybody_out(browse, application, script, size, language):
    width, height = SIZES[size]
    lead = application.lead
    owner = factories.make_owner(lead, first_name="Grace", last_name="Hopper")
    ask = {"llc_file_type": "PASSPORT", "reason": "Not readable.", "ubo_id": str(owner.external_id)}
    application.document_requests = [{**ask, "requested_at": timezone.now().isoformat()}]
    application.save(update_fields=["document_requests"])
    factories.make_document(lead, llc_file_type="ARTICLES_OF_ORGANIZATION")
    factories.make_document(lead, llc_file_type="OPERATING_AGREEMENT", status="REJECTED")
    factories.make_document(lead, file_name=f"{'long' * 40}.pdf")
    is_phone = size == "phone"
    page = browse(
        viewport={"width": width, "height": height},
        locale=language,
        is_mobile=is_phone,
        has_touch=is_phone,
    )
    for summary in page.locator("main summary").all():
        summary.click()

    assert axe.findings(page, script) == []
    assert browsing.overflow(page) == 0

    page.set_input_files(files_of("OTHER"), a_file("empty.pdf", b""))
    page.wait_for_selector("#summary")
    send_slowly(page, 100_000)
    page.set_input_files(files_of("OTHER"), a_file("large.pdf", PDF + bytes(400_000)))
    page.wait_for_selector("progress")

    assert axe.findings(page, script) == []
    assert browsing.overflow(page) == 0
    page.wait_for_selector(f"{shown_in('OTHER')}:has-text('large.pdf')")  # nothing is under way
