"""A referral in a real browser: from the accountant's page to the submitted application."""

import re

import pytest
from django.core import mail
from django.utils import timezone

from banking.models import Referral
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Mail
from onboarding.services.mails import mail_texts
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.applicants import BUSINESS, FILES, NEXT, YOU
from tests.mailing import send_queued

EMAIL, PASSWORD = "ada@example.com", "copper-otter-9-lamp"
WINDOWS = {
    "English": {"locale": "en-US"},
    "Spanish on a phone": {"locale": "es-MX", "viewport": {"width": 375, "height": 700}},
    "English without scripts": {"locale": "en-US", "java_script_enabled": False},
}
STARTED = {"en": "Application started", "es": "Solicitud iniciada"}

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def origin(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    return live_server.url


@pytest.fixture
def accountant(origin):
    user = factories.make_user(email="priya@example.com", user_type="ACCOUNTANT")
    user.set_password(PASSWORD)
    user.save()
    return factories.make_accountant(user, firm_name="Oak & Ledger")


def link_in(text, path):
    return re.search(rf"http://[\w.:]+/{path}/[\w-]+", text)[0]


def invite(person, origin):
    """Make a referral on the accountant's pages and have it mailed; return the mailed link."""
    page = person.page
    page.goto(f"{origin}/sign-in")
    page.fill("#id_username", "priya@example.com")
    page.fill("#id_password", PASSWORD)
    person.press()
    page.click("a[href='/clients/referrals']")
    names = {"business_name": "Harbor Tea LLC", "owner_first_name": "A", "owner_last_name": "B"}
    person.type({**names, "email": EMAIL})
    person.press("main form .button")
    shown = page.inner_text("#link")
    person.press("form[action$=mail] button")
    page.wait_for_selector(".note-success")
    send_queued()
    assert link_in(mail.outbox[-1].body, "join") == shown
    return shown


@pytest.mark.parametrize("window", WINDOWS)
def test_a_referred_business_applies_and_its_accountant_sees_the_start(
    accountant, come, origin, script, window
):
    inviting, applicant = come(**WINDOWS[window]), come(**WINDOWS[window])
    page = applicant.page

    page.goto(invite(inviting, origin))
    assert_accessible(applicant, script)
    applicant.type({"first_name": "Ada", "last_name": "Byron", "email": EMAIL})
    applicant.press("main form .button")
    page.wait_for_url("**?sent")
    location = link_in(mail_texts.compose(Mail.objects.get(), at=timezone.now()).body, "apply")
    applicant.come_in(location)
    apply(applicant)

    application = Application.objects.select_related("lead").get()
    assert application.status == Status.SUBMITTED
    assert application.lead.first_name == "Ada"
    assert application.referral == Referral.objects.get(accountant=accountant)
    inviting.page.goto(f"{origin}/clients/referrals")
    assert STARTED[WINDOWS[window]["locale"][:2]] in inviting.page.inner_text("table")
    assert_accessible(inviting, script)


def assert_accessible(person, script):
    """Check the page that a person sees; axe-core needs a browser with scripts."""
    assert browsing.overflow(person.page) == 0
    if person.has_scripts:
        assert axe.findings(person.page, script) == []


def apply(applicant):
    """Fill in the form of a business with one owner, sign and submit it."""
    page = applicant.page
    applicant.go_to("you")
    applicant.type(YOU)
    applicant.press("form[action$=you] .button")
    applicant.go_to("business")
    page.check("input[name=business_type][value=LLC]")
    page.check("[name=premises][value=OTHER]")
    applicant.type({**BUSINESS, "business_name": "Harbor Tea LLC", "ownership_percent": "100"})
    applicant.press("form[action$=business] .button")
    applicant.go_to("owners")
    applicant.press("form[action$=control] .button")
    applicant.go_to("documents")
    applicant.give(FILES, NEXT)
    applicant.go_to("review")
    applicant.sign("Ada Byron")
    applicant.go_to("status")
