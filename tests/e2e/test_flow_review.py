"""Review, signature and status in a real browser: for everybody, with and without scripts."""

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import IdentityStatus
from onboarding.models import Application, Consent, Lead
from onboarding.services.access import links, reminder_links, sessions
from tests import factories
from tests.e2e import axe, browsing
from tests.onboarding.services.leads.test_submissions import ADDRESS, BUSINESS, PERSON

LOOKS = [(375, "light"), (1280, "dark")]
LANGUAGES = ["en-US", "es-MX"]

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def origin(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    return live_server.url


@pytest.fixture
def application(origin):
    """An application with nothing missing but documents."""
    partner = factories.make_partner(
        name="Acme Books",
        support_email="help@acme.example.com",
        return_url="https://acme.example.com/home",
    )
    names = {"first_name": "Ada", "last_name": "Example"}
    values = {**PERSON, **ADDRESS, **BUSINESS, **names, "business_type": "MMLLC"}
    lead = factories.make_lead(partner, **values)
    owner = {**PERSON, "ssn": "223456789", "first_name": "Grace", "ownership_percent": 25}
    factories.make_owner(lead, **owner, address=ADDRESS, title="CTO")
    return factories.make_application(lead, at=timezone.now())


@pytest.fixture
def browse(chromium, origin, application):
    """Open windows of somebody who has come in; the console must stay silent."""
    opened, faults = [], []

    def open_page(**options):
        context = chromium.new_context(base_url=origin, **options)
        opened.append(context)
        key = sessions.open_session(application, language="en", at=timezone.now()).key
        context.add_cookies([{"name": "applicant", "value": key, "url": f"{origin}/apply/"}])
        page = context.new_page()
        page.on("console", lambda said: said.type == "error" and faults.append(said.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        return page

    yield open_page
    for context in opened:
        context.close()
    assert faults == []


def path(application, page):
    return f"/apply/{links.derive_link(application)}/{page}"


def faults_of(page, script):
    """Return what is wrong with a page as it is shown, on a phone in light, wide in dark."""
    faults = []
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        faults += [(page.url, width, found) for found in axe.findings(page, script)]
        if (wider := browsing.overflow(page)) > 0:
            faults.append((page.url, width, f"{wider} pixels too wide"))
    return faults


def stand(status):
    Application.objects.update(status=status, status_changed_at=timezone.now())


def sign(page, name="Ada Example"):
    for box in page.locator("input[type=checkbox]").all():
        box.check()
    page.fill("#id_signed_name", name)
    page.click("form[action$=review] .button")


@pytest.mark.parametrize("locale", LANGUAGES)
def test_anybody_can_use_the_review_and_what_it_leads_to(browse, application, script, locale):
    page = browse(locale=locale)
    faults = []

    for name in ("review", "legal/OWNERSHIP_CERTIFICATION", "withdraw"):
        page.goto(path(application, name))
        faults += faults_of(page, script)
    page.goto(path(application, "review"))
    page.click("form[action$=review] .button")  # nothing ticked
    faults += faults_of(page, script)
    Lead.objects.update(birth_date=None, business_name="", ssn="")
    page.goto(path(application, "review"))
    faults += faults_of(page, script)

    assert faults == []


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("status", Status)
def test_anybody_can_read_each_status(browse, application, script, locale, status):
    page = browse(locale=locale)
    Lead.objects.update(
        identity_status=IdentityStatus.REQUESTED, edd_answers=[{"question": "Source of funds?"}]
    )
    stand(status)

    page.goto(path(application, "status"))

    assert page.get_attribute("#flow", "data-status") == status
    assert faults_of(page, script) == []


def test_somebody_signs_by_keyboard_alone(browse, application):
    page = browse()
    page.goto(path(application, "review"))

    def go_to(selector):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
                return
        raise AssertionError(f"the Tab key never reaches {selector}")

    for box in page.locator("input[type=checkbox]").all():
        go_to(f"#{box.get_attribute('id')}")
        page.keyboard.press("Space")
    go_to("#id_signed_name")
    page.keyboard.type("Ada Example")
    page.keyboard.press("Enter")

    page.wait_for_url("**/status")
    assert Consent.objects.count() == 4


def test_a_refused_signature_is_announced_and_leads_to_its_place(browse, application):
    page = browse()
    page.goto(path(application, "review"))

    sign(page, name="Grace Hopper")

    page.wait_for_selector("#summary:focus")
    page.click("#summary a")
    assert page.evaluate("document.activeElement.id") == "id_signed_name"
    assert page.locator("input[type=checkbox]:checked").count() == 4


@pytest.mark.parametrize("has_script", [True, False])
def test_nobody_withdraws_by_a_press_beside_the_signature(browse, application, has_script):
    page = browse(java_script_enabled=has_script)
    page.goto(path(application, "review"))
    assert not page.is_visible("a[href$=withdraw]")

    page.click("details.aside summary")
    page.click("a[href$=withdraw]")

    assert page.url.endswith("/withdraw")


def test_a_typed_answer_to_the_bank_is_there_after_a_reload(browse, application, script):
    factories.make_note(application, text="Which floor is it?", is_for_applicant=True)
    page = browse()
    page.goto(path(application, "status"))

    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.fill("#id_reply", "The third.")
    page.reload()

    assert page.input_value("#id_reply") == "The third."
    assert axe.findings(page, script) == []
    page.click("button[value=reply]")
    page.wait_for_selector(".letter:has-text('The third.')")
    assert page.input_value("#id_reply") == ""
    page.click("button[value=reply]")
    page.wait_for_selector("#summary:focus")
    assert page.title().startswith("Error:")


@pytest.mark.parametrize("locale", LANGUAGES)
def test_without_scripts_somebody_signs_and_changes_their_mind(browse, application, locale):
    page = browse(locale=locale, java_script_enabled=False)
    page.goto(path(application, "review"))

    sign(page)
    signed = page.get_attribute("#flow", "data-status")
    page.click("a[href$=withdraw]")
    page.click("main .button-danger")

    assert signed == Status.SUBMITTED
    assert page.get_attribute("#flow", "data-status") == Status.WITHDRAWN
    assert set(Consent.objects.values_list("language", flat=True)) == {locale[:2]}


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("has_script", [True, False])
def test_somebody_sees_and_saves_what_they_signed(
    browse, application, script, locale, has_script, settings, tmp_path
):
    settings.LETTER_SIGNING_FILE = tmp_path / "letter.pem"
    page = browse(locale=locale, java_script_enabled=has_script)
    page.goto(path(application, "review"))
    sign(page)
    page.wait_for_url("**/status")

    page.click("a[href$='/signed']")

    assert "Ada Example" in page.text_content("main")
    assert application.reference in page.text_content("main")
    with page.expect_download() as saved:
        page.click("a[href$='signed.pdf']")
    assert saved.value.suggested_filename == f"application-{application.reference}.pdf"
    if has_script:
        assert faults_of(page, script) == []


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("has_script", [True, False])
def test_somebody_stops_the_reminders_without_signing_in(
    browse, application, script, locale, has_script
):
    page = browse(locale=locale, java_script_enabled=has_script)
    page.context.clear_cookies()
    page.goto(reminder_links.location(application))
    faults = faults_of(page, script) if has_script else []

    page.click("main .button")
    page.wait_for_selector("[name=resume]")

    assert Application.objects.get().nudges_stopped_at is not None
    faults += faults_of(page, script) if has_script else []
    assert faults == []


def test_a_legal_text_opens_beside_the_form(browse, application):
    page = browse()
    page.goto(path(application, "review"))
    page.check("#id_PRIVACY_NOTICE")

    with page.context.expect_page() as beside:
        page.click("a[href$='legal/ACCOUNT_AGREEMENT']")

    assert beside.value.text_content("h1") == "Account agreement"
    assert page.is_checked("#id_PRIVACY_NOTICE")
