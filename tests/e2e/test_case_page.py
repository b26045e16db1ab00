"""The page of a case in a real browser: by eye, by keyboard, and with a document beside it."""

import base64
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus, CheckCode, CheckResult, CheckSource
from onboarding.event_types import EventType
from onboarding.models import Application, DocumentRule, MessageTemplate
from tests import factories
from tests.e2e import axe, browsing
from tests.onboarding.cases import STEPS, load, make_reviewer, propose

PASSWORD = "copper-otter-9-lamp"
SSN = "123-45-6789"
REFUSAL = re.compile(r"Failed to load resource: the server responded with a status of (4\d\d|503)")
SIZES = [(1280, 800), (1920, 1080)]
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def chief(live_server, settings):
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    return User.objects.create_superuser("dana@example.com", PASSWORD, first_name="Dana")


@pytest.fixture
def case(chief):
    """A case of two owners that the chief has claimed, with all that a case can have."""
    now = timezone.now()
    lead = factories.make_lead(
        business_name="Harbor Coffee LLC",
        business_type="MMLLC",
        first_name="Ada",
        last_name="Byron",
        ssn=SSN,
        ownership_percent=60,
        edd_answers=[{"question": "What is sold?", "answer": "Coffee."}],
    )
    case = factories.make_application(
        lead,
        at=now,
        status=ApplicationStatus.IN_REVIEW,
        claimed_by=chief,
        claimed_until=now + timedelta(minutes=20),
        review_began_at=now,
        due_at=now,
        risk="HIGH",
        risk_reasons=[{"reason": "An owner lives abroad.", "points": 60}],
    )
    owner = factories.make_owner(lead, first_name="Grace", last_name="Hopper", ownership_percent=40)
    factories.make_document(lead, file_name="articles.pdf")
    factories.make_document(lead, owner=owner, content=DOT, detected_type="image/png")
    run = factories.make_check_run(case)
    item = {"source": CheckSource.MANUAL, "result": CheckResult.WARN}
    factories.make_check(run, code=CheckCode.IDENTITY_CONFIRMED, **item)
    factories.make_check(run)
    factories.make_note(case)
    factories.make_event(case, EventType.STARTED)
    return case


@pytest.fixture
def signed_in(chromium, live_server, case):
    """Return the case, opened in a window of its own with some options.

    Nothing may break the content security policy or go wrong in a script.
    """
    faults, contexts = [], []

    def sign_in(**options):
        context = chromium.new_context(
            base_url=live_server.url, viewport={"width": 1280, "height": 800}, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: said.type == "error" and faults.append(said.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"/admin/login/?next=/admin/onboarding/application/{case.pk}/change/")
        page.fill("#id_username", "dana@example.com")
        page.fill("#id_password", PASSWORD)
        page.click("[type=submit]")
        page.wait_for_selector("#decision")
        return page

    yield sign_in
    for context in contexts:
        context.close()
    assert [fault for fault in faults if not REFUSAL.match(fault)] == []


@pytest.fixture
def page(signed_in):
    """The case, opened."""
    return signed_in()


def test_anybody_can_use_the_page(page, script):
    faults = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for is_unfolded in (False, True):
            page.eval_on_selector_all(
                "#content details", f"all => all.forEach((one) => one.open = {is_unfolded:d})"
            )
            where = f"{width} {'unfolded' if is_unfolded else 'folded'}"
            if (wider := browsing.overflow(page)) > 0:
                faults.append((where, f"{wider} pixels too wide"))
            for scheme, rules in axe.SCHEMES.items():
                page.emulate_media(color_scheme=scheme)
                faults += [(where, scheme, found) for found in axe.findings(page, script, rules)]

    assert faults == []


def test_documents_open_beside_the_case(page, case):
    for name in ("file", "articles.pdf"):
        with page.expect_response(re.compile(r"/view/\?token=")) as answer:
            page.click(f"#documents button[aria-label^='Open {name}']")
        assert answer.value.status == 200
        assert page.url.endswith("/change/")

    events = case.events.filter(type=EventType.DOCUMENT_OPENED)
    assert events.count() == 2
    assert page.locator(".viewer iframe").bounding_box()["y"] < 800


def test_the_documents_that_an_approval_waits_for_open_beside_it(page, case, script):
    factories.make_check_run(case, at=timezone.now())
    page.reload()
    buttons = page.locator(".unopened button")
    assert axe.findings(page, script) == []

    for number in range(2):
        with page.expect_response(re.compile(r"/view/\?token=")):
            buttons.nth(number).click()

    assert [text.split()[0] for text in buttons.all_inner_texts()] == ["Opened", "Opened"]
    assert case.events.filter(type=EventType.DOCUMENT_OPENED).count() == 2
    page.reload()
    assert page.locator("form[action*='/approve/']").count() == 1
    assert buttons.count() == 0


def press_to(page, selector, *, at_most):
    """Press Tab until an element has the focus; return how often, the skip link included."""
    page.keyboard.press("Tab")
    assert "skip" in page.evaluate("document.activeElement.className")
    page.keyboard.press("Enter")
    for number in range(2, at_most + 1):
        page.keyboard.press("Tab")
        if page.evaluate("chosen => document.activeElement.matches(chosen)", selector):
            return number
    raise AssertionError(f"{selector} is more than {at_most} stops away")


def test_the_first_buttons_are_a_few_stops_away_and_in_the_first_screen(page, case):
    page.reload()
    press_to(page, "#headline form button", at_most=10)
    page.reload()
    press_to(page, "#decision summary, #decision button", at_most=10)

    for chosen in ("#headline form button", "#decision summary", "#check-IDENTITY_CONFIRMED label"):
        assert is_in_view(page, f"{chosen} >> nth=0"), chosen


def is_in_view(page, selector):
    """Return whether the whole element is within the window and not below the headline."""
    box, size = page.locator(selector).bounding_box(), page.viewport_size
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


SEEN = """([part, text]) => {
    const said = document.querySelector(`#${part} .answer`);
    if (!said?.innerText.includes(text)) return false;
    const box = said.getBoundingClientRect();
    return document.elementFromPoint(box.left + 20, box.top + box.height / 2) === said;
}"""


def expect_answer(page, part, text):
    """Wait until a part of the page has this answer, not covered, and the headline is seen."""
    page.wait_for_function(SEEN, arg=[part, text])
    assert is_in_view(page, f"#{part} .answer")
    assert is_in_view(page, "#headline h1")


def fold_out(page, step):
    form = page.locator(f"#decision form[action*='/{step}/']")
    form.locator("xpath=ancestor::details[1]/summary").click()
    return form


@pytest.mark.parametrize("size", SIZES)
def test_each_step_answers_in_place(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("window.isTheSame = true")

    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.fill("#note-text", "For us.")
    page.click("#notes form button")
    expect_answer(page, "notes", "The note was added.")
    page.fill("#check-IDENTITY_CONFIRMED input[type=text]", "A call.")
    page.check("#check-IDENTITY_CONFIRMED input[value=PASS]")
    page.click("text=Save the answers")
    expect_answer(page, "checks", "Your answers were saved.")
    page.click("#headline button")
    expect_answer(page, "headline", "You have released the case.")
    page.click("#headline button")
    expect_answer(page, "headline", "You have claimed the case.")
    form = fold_out(page, "deny")
    form.locator("input[type=checkbox]").first.check()
    form.locator("[name=internal_text]").fill("A parking lot.")
    form.locator("button").click()
    expect_answer(page, "decision", "Proposed. A second person must confirm it.")
    page.click("#decision form[action*='/withdraw/'] button")
    expect_answer(page, "decision", "The proposal is withdrawn.")
    form = fold_out(page, "request_documents")
    form.locator("[name=what-1]").select_option(label="Utility bill")
    form.locator("button").click()
    expect_answer(page, "decision", "The documents were asked for.")
    assert page.evaluate("window.isTheSame")
    assert page.locator("#decision >> text=Next case").is_visible()


def test_a_colleague_is_mentioned_by_keyboard(page, case):
    make_reviewer(first_name="Iris", last_name="Berg")
    page.reload()
    page.fill("#note-text", "Please look,")

    page.focus("#notes summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.type("today.")

    assert page.input_value("#note-text") == "Please look, @Iris.Berg today."


def test_without_scripts_each_step_answers_in_place(signed_in, case):
    page = signed_in(java_script_enabled=False)
    page.fill("#note-text", "For us.")
    page.click("#notes form button")
    page.wait_for_url("**/change/#notes")
    assert is_in_view(page, "#notes .answer")
    assert is_in_view(page, "#headline h1")
    page.fill("#check-IDENTITY_CONFIRMED input[type=text]", "A call.")
    page.check("#check-IDENTITY_CONFIRMED input[value=PASS]")
    page.click("text=Save the answers")
    page.wait_for_url("**/change/#checks")
    assert is_in_view(page, "#checks .answer")
    assert "A call." in page.inner_text("#check-IDENTITY_CONFIRMED")
    page.click("#document-list button[aria-label^='Open file']")
    viewer = page.frame_locator("iframe[name=viewer]")
    viewer.locator("button:has-text('Rotate')").click()
    viewer.locator(".turn-90").wait_for()
    viewer.locator("[aria-label='Zoom in']").click()
    viewer.locator(".zoom-1-5").wait_for()
    viewer.locator("button:has-text('Accept')").click()
    assert viewer.locator(".answer").inner_text() == "The document was accepted."


def test_what_was_typed_elsewhere_and_the_open_document_stay(page, case):
    page.click("#document-list button[aria-label^='Open file']")
    page.frame_locator("iframe[name=viewer]").locator(".stage").wait_for()
    page.fill("#note-text", "Half a note")
    page.fill("#check-IDENTITY_CONFIRMED input[type=text]", "A call.")
    page.check("#check-IDENTITY_CONFIRMED input[value=PASS]")
    page.click("text=Save the answers")

    expect_answer(page, "checks", "Your answers were saved.")
    assert page.input_value("#note-text") == "Half a note"
    assert page.frame_locator("iframe[name=viewer]").locator(".stage").is_visible()


def test_a_button_that_is_pressed_while_a_step_answers_is_not_lost(page, case):
    summary = page.locator("#decision form[action*='/request_documents/'] >> xpath=../summary")
    page.fill("#note-text", "For us.")
    summary.hover()
    page.mouse.down()
    with page.expect_response("**/note/"):
        page.evaluate("document.querySelector('#note-text').form.requestSubmit()")
    page.wait_for_timeout(300)
    page.mouse.up()

    page.locator("[name=what-1]").select_option(label="Utility bill")
    assert "The note was added." in page.inner_text("#notes .answer")


def test_a_step_that_is_not_confirmed_says_so_and_what_was_typed_stays(page, case):
    form = page.locator("#checks form[data-step]").first
    page.fill("#note-text", "Half a note")
    page.fill("#check-IDENTITY_CONFIRMED input[type=text]", "A call.")
    page.check("#check-IDENTITY_CONFIRMED input[value=PASS]")
    page.route("**/tick/", lambda route: route.fulfill(status=503, body="Busy."))
    page.click("text=Save the answers")
    form.locator(".answer >> text=The server did not confirm this.").wait_for()
    assert page.input_value("#note-text") == "Half a note"
    assert page.is_checked("#check-IDENTITY_CONFIRMED input[value=PASS]")

    page.unroute("**/tick/")
    page.click("text=Save the answers")

    expect_answer(page, "checks", "Your answers were saved.")
    assert page.input_value("#note-text") == "Half a note"


def test_a_document_is_judged_by_the_keyboard(page, case, script):
    page.focus("#document-list button[aria-label^='Open file']")
    page.keyboard.press("Enter")
    viewer = page.frame_locator("iframe[name=viewer]")
    viewer.locator(".stage:focus").wait_for()
    assert_fits(viewer)
    with page.expect_response("**/turn/"):
        page.keyboard.press("r")
    viewer.locator(".turn-90").wait_for()
    assert_fits(viewer)
    page.keyboard.press("+")
    assert viewer.locator(".zoom-now").inner_text().startswith("1.25")
    page.keyboard.press("0")
    page.keyboard.press("?")
    assert viewer.locator(".keys dl").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    viewer.locator("text=The document was accepted.").wait_for()
    page.locator("#document-list >> text=Accepted").wait_for()
    page.keyboard.press("n")
    viewer.locator("text=2 of 2").wait_for()
    page.keyboard.press("p")
    viewer.locator(".turn-90").wait_for()  # kept for the next reader
    page.keyboard.press("x")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    viewer.locator("text=The document was rejected.").wait_for()
    rejected = case.lead.documents.get(owner__isnull=False)
    assert (rejected.status, rejected.rotation) == ("REJECTED", 90)
    assert rejected.status_reason.startswith("We cannot read it.")


def assert_fits(viewer):
    """Fail unless the whole picture, as rotated, is within its stage."""
    inner = viewer.locator(".stage img").bounding_box()
    outer = viewer.locator(".stage").bounding_box()
    assert inner["width"] <= outer["width"] + 1
    assert inner["height"] <= outer["height"] + 1


@pytest.mark.parametrize("size", SIZES)
def test_anybody_can_use_the_viewer(page, case, script, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.click("#document-list button[aria-label^='Open file']")
    viewer = page.frame_locator("iframe[name=viewer]")
    viewer.locator(".stage:focus").wait_for()
    with page.expect_navigation():
        page.keyboard.press("f")
    page.wait_for_selector(".stage")
    page.click(".keys summary")
    page.click(".judge summary >> nth=0")
    assert "Harbor Coffee LLC" in page.inner_text(".beside")
    for scheme, rules in axe.SCHEMES.items():
        page.emulate_media(color_scheme=scheme)
        assert axe.findings(page, script, rules) == []
    assert browsing.overflow(page) <= 0


def test_a_number_is_hidden_again(page, case):
    page.clock.install()
    page.fill("#note-text", "Half a note")
    number = page.locator(f"#number-ssn-{case.lead.external_id}")

    number.locator("summary").click()
    number.locator("input[name=reason]").fill("To compare it with the letter.")
    number.locator("button").click()
    number.locator(".revealed").wait_for()

    assert number.locator(".revealed").inner_text() == SSN
    assert SSN not in page.url
    page.clock.run_for(14_000)
    assert number.locator(".revealed").is_visible()
    page.clock.run_for(2_000)
    assert SSN not in page.content()
    assert "••••6789" in number.inner_text()
    assert page.input_value("#note-text") == "Half a note"
    assert case.events.filter(type=EventType.NUMBER_REVEALED).count() == 1


def test_why_a_number_is_not_shown_is_said_in_its_place(page, case):
    number = page.locator(f"#number-ssn-{case.lead.external_id}")

    number.locator("summary").click()
    number.locator("input[name=reason]").fill("no")
    number.locator("button").click()

    number.locator(".errorlist").wait_for()
    assert "5 characters or more" in number.inner_text()


def test_without_scripts_a_number_is_shown_and_a_step_taken(chromium, live_server, case):
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/admin/login/?next=/admin/onboarding/application/{case.pk}/change/")
    page.fill("#id_username", "dana@example.com")
    page.fill("#id_password", PASSWORD)
    page.click("[type=submit]")
    number = page.locator(f"#number-ssn-{case.lead.external_id}")

    number.locator("summary").click()
    number.locator("input[name=reason]").fill("To compare it with the letter.")
    number.locator("button").click()
    shown = number.locator(".revealed").inner_text()
    page.wait_for_url("**/change/#number-ssn-*")

    assert shown == SSN
    assert SSN not in page.content()
    context.close()


def count_effort(page):
    """Return lists that gain an entry for each loaded page, the viewer's aside, and each click."""
    pages, clicks = [], []
    page.on(
        "framenavigated", lambda frame: pages.append(frame.url) if frame.name != "viewer" else None
    )
    page.expose_function("clicked", lambda: clicks.append(1))
    page.add_init_script("addEventListener('pointerdown', () => clicked(), true)")
    return pages, clicks


def test_an_approval_takes_four_clicks_and_one_page(page, case):
    factories.make_check_run(case, at=timezone.now())
    Application.objects.filter(pk=case.pk).update(risk="LOW", claimed_by=None, claimed_until=None)
    DocumentRule.objects.filter(business_type="MMLLC").exclude(code="EIN_PROOF").delete()
    case.lead.documents.filter(owner=None).update(llc_file_type="IRS_EIN_LETTER")
    run = factories.make_check_run(case, at=timezone.now())
    item = {"source": CheckSource.MANUAL, "result": CheckResult.WARN}
    factories.make_check(run, code=CheckCode.IDENTITY_CONFIRMED, at=timezone.now(), **item)
    pages, clicks = count_effort(page)
    page.reload()

    page.click("#headline button")
    expect_answer(page, "headline", "You have claimed the case.")
    page.fill("#check-IDENTITY_CONFIRMED input[type=text]", "A call.")
    page.click("text=Pass it")
    expect_answer(page, "checks", "Your answers were saved.")
    before = len(clicks)
    for number in range(page.locator(".unopened button").count()):
        with page.expect_response(re.compile(r"/view/\?token=")):
            page.locator(".unopened button").nth(number).click()
    opening = len(clicks) - before
    form = fold_out(page, "approve")
    form.locator("[name=internal_text]").fill("It is all there.")
    assert "Accept 1 document and approve" in form.inner_text()
    form.locator("button").click()
    expect_answer(page, "decision", "The application is approved.")

    assert len(clicks) - opening == 4
    assert len(pages) == 1
    assert list(case.lead.documents.filter(status="ACCEPTED").values_list("llc_file_type")) == [
        ("IRS_EIN_LETTER",)
    ]


def test_a_second_person_confirms_with_two_clicks_and_one_page_at_most(page, case):
    ada = make_reviewer(*STEPS, first_name="Ada", last_name="Byron")
    now = timezone.now()
    Application.objects.filter(pk=case.pk).update(claimed_by=ada)
    factories.make_check_run(case, at=now)
    propose(load(case), by=ada, at=now)
    pages, clicks = count_effort(page)
    page.reload()

    page.click("#decision form[action*='/confirm/'] button")
    expect_answer(page, "decision", "The proposal is confirmed.")

    assert load(case).status == ApplicationStatus.DENIED
    assert 1 <= len(clicks) <= 2
    assert len(pages) == 1


def test_a_note_that_came_since_is_shown_with_the_refusal(page, case):
    ada = make_reviewer(*STEPS, first_name="Ada", last_name="Byron")
    form = fold_out(page, "deny")
    form.locator("input[type=checkbox]").first.check()
    form.locator("[name=internal_text]").fill("A parking lot.")
    factories.make_note(case, by=ada, text="Wait, the owner has called.", at=timezone.now())

    form.locator("button").click()
    sentence = "Ada Byron has added a note since you opened this page. Read it, then decide."
    expect_answer(page, "decision", sentence)
    assert "Wait, the owner has called." in page.inner_text("#decision .answer")
    assert "Wait, the owner has called." in page.inner_text("#notes")
    form.locator("button").click()
    expect_answer(page, "decision", "Proposed. A second person must confirm it.")


def test_a_template_fills_the_message_unless_something_was_typed(page, case):
    MessageTemplate.objects.create(name="Hello", text="Dear {first_name},\r\nhello.", text_es="-")
    MessageTemplate.objects.create(name="Bye", text="Goodbye.", text_es="-")
    page.reload()

    page.check("#messages label:has-text('Hello') input")
    assert page.input_value("#message-text") == "Dear Ada,\nhello."
    page.check("#messages label:has-text('Bye') input")
    assert page.input_value("#message-text") == "Goodbye."
    page.fill("#message-text", "Goodbye, Ada.")
    page.check("#messages label:has-text('Hello') input")
    assert page.input_value("#message-text") == "Goodbye, Ada."
    page.click("#messages form button")
    expect_answer(page, "messages", "The message was sent.")
    assert case.notes.filter(is_for_applicant=True).get().text == "Goodbye, Ada."
