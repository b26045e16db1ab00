"""The invitation in a real browser: from the mail to the first password, and no second time."""

import re

import pytest
from django.core import mail as outgoing
from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import MailKind
from onboarding.models import Application
from onboarding.services.applications import account_opening
from onboarding.services.events.history import CHECKS
from onboarding.services.mails import outbox
from tests.e2e import axe, browsing
from tests.mailing import deliver_mails
from tests.onboarding.services.leads.test_submissions import make_complete

PASSWORD = "copper-otter-9-lamp"
SIZES = {"wide": (1280, 800), "phone": (375, 700)}
OVER = {"en-US": "This link no longer works", "es-MX": "Este enlace ya no funciona"}

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def link(live_server, settings):
    """The link in the mail to an applicant whose account was opened."""
    settings.BASE_URL = live_server.url
    make_complete(email="ada@example.com")
    Application.objects.update(status=Status.APPROVED)
    application = Application.objects.get()
    account_opening.open_account(application, by=CHECKS, at=timezone.now())
    outbox.queue(MailKind.INVITATION, application=application, language="en", at=timezone.now())
    deliver_mails()
    return re.search(r"http\S+/welcome/\S+", outgoing.outbox[-1].body)[0]


@pytest.fixture
def browse(chromium):
    """Open pages in windows of their own; none may break the content security policy."""
    opened, faults = [], []

    def open_page(**options):
        context = chromium.new_context(**options)
        opened.append(context)
        page = context.new_page()
        page.on("console", lambda said: said.type == "error" and faults.append(said.text))
        return page

    yield open_page
    for context in opened:
        context.close()
    assert faults == []


def choose_password(page):
    page.fill("#id_new_password1", PASSWORD)
    page.fill("#id_new_password2", PASSWORD)
    page.click("main form .button")


def check(page, script):
    """Return what is wrong with the page in each size, in light and in dark."""
    faults = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        if (wider := browsing.overflow(page)) > 0:
            faults.append((size, f"{wider} pixels too wide"))
        for scheme, rules in axe.SCHEMES.items():
            page.emulate_media(color_scheme=scheme)
            faults += [(size, scheme, found) for found in axe.findings(page, script, rules)]
    return faults


def test_the_link_of_the_mail_signs_in_once(browse, link, live_server):
    page = browse(java_script_enabled=False)
    page.goto(link)
    chosen_at = page.url
    choose_password(page)

    assert link.rpartition("/")[2] not in chosen_at
    assert page.url == f"{live_server.url}/account"
    assert "Welcome. Your password is saved" in page.text_content("main")
    assert User.objects.get().check_password(PASSWORD)

    another = browse(java_script_enabled=False)
    another.goto(link)
    assert another.text_content("h1") == "This link no longer works"
    another.click("main a[href='/sign-in']")
    another.fill("#id_username", "ada@example.com")
    another.fill("#id_password", PASSWORD)
    another.click("main form .button")
    assert another.url == f"{live_server.url}/account"


@pytest.mark.parametrize("locale", OVER)
def test_anybody_can_use_the_pages(browse, script, link, locale):
    page = browse(locale=locale)
    page.goto(link)

    faults = check(page, script)
    page.click("main form .button")  # nothing filled in
    faults += check(page, script)
    choose_password(page)
    page.goto(link)
    assert page.text_content("h1") == OVER[locale]
    faults += check(page, script)

    assert faults == []
