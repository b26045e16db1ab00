"""The page of a case in a real browser: by eye, by keyboard, and with a document beside it."""

import base64
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus, CheckCode, CheckResult, CheckSource
from onboarding.event_types import EventType
from tests import factories
from tests.e2e import axe, browsing

PASSWORD = "copper-otter-9-lamp"
SSN = "123-45-6789"
REFUSAL = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
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
def page(chromium, live_server, case):
    """The case, opened; nothing may break the content security policy or go wrong in a script."""
    faults = []
    context = chromium.new_context(
        base_url=live_server.url, viewport={"width": 1280, "height": 800}
    )
    page = context.new_page()
    page.on("console", lambda said: said.type == "error" and faults.append(said.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"/admin/login/?next=/admin/onboarding/application/{case.pk}/change/")
    page.fill("#id_username", "dana@example.com")
    page.fill("#id_password", PASSWORD)
    page.click("[type=submit]")
    page.wait_for_selector("#decision")
    yield page
    context.close()
    assert [fault for fault in faults if not REFUSAL.match(fault)] == []


def test_anybody_can_use_the_page(page, script):
    faults = []
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            for is_unfolded in (False, True):
                page.eval_on_selector_all(
                    "#content details", f"all => all.forEach((one) => one.open = {is_unfolded:d})"
                )
                where = f"{width} {scheme} {'unfolded' if is_unfolded else 'folded'}"
                faults += [(where, found) for found in axe.findings(page, script)]
                if (wider := browsing.overflow(page)) > 0:
                    faults.append((where, f"{wider} pixels too wide"))

    assert faults == []


def test_documents_open_beside_the_case(page, case):
    for name in ("file", "articles.pdf"):
        with page.expect_response(re.compile(r"/(?:file|pages)/\?token=")) as answer:
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
        with page.expect_response(re.compile(r"/(?:file|pages)/\?token=")):
            buttons.nth(number).click()

    assert [text.split()[0] for text in buttons.all_inner_texts()] == ["Opened", "Opened"]
    assert case.events.filter(type=EventType.DOCUMENT_OPENED).count() == 2
    page.reload()
    assert page.locator("form[action*='/approve/']").count() == 1
    assert buttons.count() == 0


def test_the_keyboard_reaches_what_decides(page, case):
    page.focus("a[href='#decision']")
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText").startswith("Deny"):
            break
    page.keyboard.press("Enter")
    assert page.locator("#deny-internal_text").is_visible()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert "could not verify" in page.get_attribute("#deny-applicant_text", "placeholder")
    page.focus("#deny-internal_text")
    page.keyboard.type("A parking lot.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    page.wait_for_selector(".proposal")
    assert case.proposals.get().internal_text == "A parking lot."


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
    page.fill("#check-IDENTITY_CONFIRMED input[name=note]", "A call.")
    page.click("#check-IDENTITY_CONFIRMED button[value=PASS]")
    assert "A call." in page.inner_text("#check-IDENTITY_CONFIRMED")
    context.close()
