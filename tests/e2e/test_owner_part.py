"""An owner is asked by mail and answers for themselves in a browser of their own."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from onboarding.models import Application, FlowSession, Mail, Owner, OwnerInvitation
from onboarding.services.access import links
from onboarding.services.leads.owner_parts import TEXTS
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.applicants import Applicant

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]
MINUTE = timedelta(minutes=1)  # a request on its way would extend a session that ends now
COMPUTER = {"locale": "en-US", "viewport": {"width": 1280, "height": 800}}
PHONE = {"locale": "en-US", "viewport": {"width": 375, "height": 700}, "has_touch": True}
WINDOWS = {
    "computer": COMPUTER,
    "phone": PHONE,
    "computer without scripts": {**COMPUTER, "java_script_enabled": False},
    "phone without scripts": {**PHONE, "java_script_enabled": False},
}
PART = {
    "phone_number": "202-555-0124",
    "birth_date": "1976-01-01",
    "address_line1": "3 Main Street",
    "address_city": "Arlington",
    "address_state": "VA",
    "address_postal_code": "22201",
    "ssn": "223-45-6789",
}
PRIVATE = ["6789", "3 Main Street", "Arlington", "555-0124", "1976"]


@pytest.fixture
def come(chromium, live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    opened = []

    def come(location, **options):
        opened.append(Applicant(chromium, **options))
        opened[-1].come_in(location)
        return opened[-1]

    yield come
    for one in opened:
        one.context.close()


@pytest.fixture(params=WINDOWS.values(), ids=WINDOWS)
def window(request):
    return request.param


@pytest.fixture
def check(script, window):
    """Look at a page as people with disabilities and small windows do."""

    def check(person):
        if person.has_scripts:
            assert axe.findings(person.page, script) == []
        assert browsing.overflow(person.page) == 0
        return person.page.text_content("main")

    return check


def ask_grace(ada):
    ada.page.click("a[href$='owners/ask']")
    ada.type(
        {
            "first_name": "Grace",
            "last_name": "Hopper",
            "email": "grace@example.com",
            "ownership_percent": "40",
        }
    )


def test_an_owner_is_asked_answers_and_signs(come, check, window):
    lead = factories.make_lead(
        email="ada@example.com", first_name="Ada", last_name="Byron", business_name="Bread LLC"
    )
    application = factories.make_application(lead, at=timezone.now())
    ada = come(links.location(application), **window)
    ada.go_to("you")
    ada.page.goto(f"{links.location(application)}/owners")
    check(ada)
    ask_grace(ada)
    check(ada)
    ada.press("#step .button")
    ada.go_to("owners")
    assert "Waiting for their part" in check(ada)
    ada.page.locator("a[href$=invitation]").first.click()
    ada.go_to("invitation")
    assert "You can sign the application when this part is complete." in check(ada)
    ada.page.get_by_role("button", name="Send a reminder").click()
    ada.page.wait_for_url("**noted=reminded")
    assert "sending a reminder to grace@example.com" in check(ada)

    grace = come(links.owner_location(OwnerInvitation.objects.get()), **window)
    grace.go_to("details")
    assert "40" not in check(grace)
    grace.type(PART)
    grace.press("#step .button")
    grace.go_to("sign")
    assert "40%" in check(grace)
    for text in TEXTS:
        grace.page.check(f"#id_{text}")
    grace.page.fill("#id_signed_name", "Somebody Else")
    grace.press("#step .button")
    grace.page.wait_for_selector("#summary")
    check(grace)
    assert grace.page.title().startswith("Error: ")
    grace.page.fill("#id_signed_name", "Grace Hopper")
    grace.press("#step .button")
    grace.go_to("completed")
    assert "Your part is complete" in check(grace)

    assert OwnerInvitation.objects.get().status == "COMPLETED"
    ada.page.goto(f"{links.location(application)}/owners")
    shown = check(ada)
    ada.page.locator("a[href$=invitation]").first.click()
    ada.go_to("invitation")
    shown += check(ada)
    ada.page.goto(f"{links.location(application)}/review")
    shown += check(ada)
    assert not [one for one in PRIVATE if one in shown]
    assert ada.faults == grace.faults == []


def test_the_applicant_takes_over_while_the_owner_types(come, check, window):
    lead = factories.make_lead(email="ada@example.com", first_name="Ada", business_name="Bread LLC")
    application = factories.make_application(lead, at=timezone.now())
    owner = factories.make_owner(lead, email="grace@example.com", first_name="Grace")
    invitation = factories.make_invitation(owner, at=timezone.now())
    grace = come(links.owner_location(invitation), **window)
    grace.go_to("details")
    grace.type(PART)
    ada = come(links.location(application), **window)
    ada.go_to("you")
    ada.page.goto(f"{links.location(application)}/owners/{owner.external_id}/take-over")
    assert "Fill in the part of Grace yourself?" in check(ada)
    ada.press("main form .button-danger")
    ada.page.wait_for_url(re.compile(rf"/owners/{owner.external_id}$"))

    grace.press("#step .button")
    grace.page.get_by_text("This link no longer works.").wait_for()

    check(grace)
    stored = Owner.objects.get()
    assert (stored.ssn, stored.phone_number, stored.address) == ("", "", {})


def test_the_session_of_an_owner_ends_and_nothing_is_lost(come, check, window):
    lead = factories.make_lead(email="ada@example.com", first_name="Ada", business_name="Bread LLC")
    factories.make_application(lead, at=timezone.now())
    owner = factories.make_owner(lead, email="grace@example.com", first_name="Grace")
    invitation = factories.make_invitation(owner, at=timezone.now())
    grace = come(links.owner_location(invitation), **window)
    grace.go_to("details")
    grace.type({"address_line1": "3 Main Street", "ssn": "223-45-6789"})
    FlowSession.objects.update(expires_at=timezone.now() - MINUTE)

    grace.press("#step .button")
    grace.page.wait_for_url("**ended=kept")
    assert "Nothing is lost" in check(grace)
    grace.press()
    check(grace)
    grace.page.fill("#id_code", "000000")
    grace.press()
    grace.go_to("details")

    check(grace)
    assert grace.page.input_value("#id_address_line1") == "3 Main Street"
    assert "ending in 6789" in grace.page.text_content("#id_ssn_helptext")
    assert Application.objects.get().lead.owners.get().ssn == ""
    assert Mail.objects.filter(kind="OWNER_CODE").count() == 2
