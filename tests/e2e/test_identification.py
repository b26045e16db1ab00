"""Identification is sent at a computer, by its phone, or by an owner: with and without scripts."""

import re
import time

import pytest
from django.utils import timezone

from onboarding.choices import LegalText
from onboarding.models import Document, DocumentRule, OwnerInvitation, PhoneLink
from onboarding.services.access import links
from tests import factories
from tests.e2e import axe, browsing
from tests.id_pictures import card, surface
from tests.onboarding.services.leads.test_submissions import ADDRESS, BUSINESS, PERSON

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]
SLOT = "GOVERNMENT_IDENTIFICATION"
COMPUTER = {"locale": "en-US", "viewport": {"width": 1280, "height": 800}}
PHONE = {"locale": "en-US", "viewport": {"width": 375, "height": 700}, "has_touch": True}
SCRIPTS = {"with scripts": {}, "without scripts": {"java_script_enabled": False}}


@pytest.fixture(params=SCRIPTS.values(), ids=SCRIPTS)
def scripts(request):
    return request.param


@pytest.fixture
def application(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    wanted = {"accepted_types": [SLOT], "message": "A government identification of the owner."}
    DocumentRule.objects.update_or_create(business_type="SSN", code=SLOT, defaults=wanted)
    lead = factories.make_lead(business_type="SSN", first_name="Ada", last_name="Byron")
    return factories.make_application(lead, at=timezone.now())


@pytest.fixture
def check(script):
    """Look at a page as people with disabilities and small windows do."""

    def check(person):
        if person.has_scripts:
            assert axe.findings(person.page, script) == []
        assert browsing.overflow(person.page) == 0
        return person.page.inner_text("main")

    return check


def come_to_documents(person, application):
    person.come_in(links.location(application))
    person.page.wait_for_url(re.compile("/(you|status)$"))
    person.page.goto(f"{links.location(application)}/documents")


def give(person, field, content, name="image.png"):
    """Choose a picture; scripts send it at once, without them the button does."""
    file = {"name": name, "mimeType": "image/png", "buffer": content}
    with person.page.expect_response(lambda answer: answer.request.method == "POST"):
        person.page.set_input_files(f"#{field}", file)
        if not person.has_scripts:
            person.page.click("[data-send]")
    person.page.wait_for_load_state()


@pytest.mark.parametrize("window", [COMPUTER, PHONE], ids=["computer", "phone"])
def test_both_sides_are_sent_and_what_is_wrong_is_told(come, check, application, scripts, window):
    ada = come(**window, **scripts)
    come_to_documents(ada, application)
    assert "all four corners" in check(ada)

    give(ada, f"front-{SLOT}", surface())
    ada.page.wait_for_selector("#summary")
    assert "nothing can be seen in the picture" in check(ada)
    ada.page.wait_for_function("document.title.startsWith('Error:')")
    give(ada, f"front-{SLOT}", card(blur=14))
    ada.page.wait_for_selector("button[name=confirm]")
    assert "looks blurred" in check(ada)
    with ada.page.expect_navigation():
        ada.page.click("button[name=confirm]")
    assert not ada.page.is_visible("button[name=confirm]")
    give(ada, f"back-{SLOT}", card("back"))

    ada.page.wait_for_selector(f"#{SLOT} .tag-good")
    ada.page.wait_for_function("!document.title.startsWith('Error:')")
    assert "Complete" in check(ada)


def test_a_passport_is_one_page(come, check, application, scripts):
    DocumentRule.objects.update(accepted_types=[SLOT, "PASSPORT"])
    ada = come(**COMPUTER, **scripts)
    come_to_documents(ada, application)
    assert not ada.page.is_visible("text=Page with the photo")

    ada.page.check("[value=PASSPORT]")

    assert "Page with the photo" in check(ada)
    assert not ada.page.is_visible(f"#back-{SLOT}")
    give(ada, f"front-{SLOT}", card())
    ada.page.wait_for_selector(f"#{SLOT} .tag-good")
    assert Document.objects.get().llc_file_type == "PASSPORT"


def test_a_phone_takes_the_pictures_for_a_computer(come, check, application, scripts):
    ada = come(**COMPUTER, **scripts)
    come_to_documents(ada, application)
    ada.page.click("button[name=phone]")
    ada.page.wait_for_selector(".qr svg")
    check(ada)
    phone = come(**PHONE, **scripts)
    phone.page.goto(ada.page.inner_text(".address-of-phone"))
    assert "Ada" not in check(phone)
    phone.press()
    phone.go_to("photos")
    assert "Take a photo" in check(phone)

    give(phone, "camera-front-OWN", card())
    phone.page.wait_for_selector(".files")
    check(phone)
    if not ada.has_scripts:
        ada.page.click("text=Refresh")
    ada.page.wait_for_selector("text=Front side: image.png")
    check(ada)
    give(phone, "camera-back-OWN", card("back"))
    phone.page.wait_for_selector("text=Continue on your computer")
    check(phone)

    if not ada.has_scripts:
        ada.page.click("text=Refresh")
    ada.page.wait_for_selector("text=We have received your photos.")
    check(ada)
    ada.page.click("main .button")
    ada.go_to("review")
    assert "Complete" in check(ada)
    phone.page.reload()
    assert "Continue on your computer" in check(phone)
    phone.page.goto(links.phone_location(PhoneLink.objects.get()))
    assert "This link no longer works" in check(phone)
    phone.faults.clear()  # the browser notes that the page is gone


def test_a_link_that_is_cancelled_at_the_computer_ends(come, check, application, scripts):
    ada = come(**COMPUTER, **scripts)
    come_to_documents(ada, application)
    ada.page.click("button[name=phone]")
    ada.page.wait_for_selector(".qr svg")
    address = ada.page.inner_text(".address-of-phone")

    ada.page.click("text=Cancel the link")
    ada.go_to("review")

    phone = come(**PHONE, **scripts)
    phone.page.goto(address)
    assert "This link no longer works" in check(phone)
    phone.faults.clear()


def test_an_owner_sends_their_own(come, check, application, scripts):
    owner = factories.make_owner(
        application.lead, email="grace@example.com", first_name="Grace", last_name="Hopper"
    )
    factories.make_invitation(owner, at=timezone.now())
    grace = come(**PHONE, **scripts)
    grace.come_in(links.owner_location(OwnerInvitation.objects.get()))
    grace.go_to("details")
    grace.page.goto(grace.page.url.replace("details", "identification"))
    assert "Only the bank sees it" in check(grace)

    give(grace, "front-OWN", card())
    grace.page.wait_for_selector(".files")
    give(grace, "back-OWN", card("back"))

    grace.page.wait_for_selector(".tag-good")
    check(grace)
    assert {one.owner for one in Document.objects.all()} == {owner}


def test_a_signature_waits_for_a_picture_and_nothing_that_is_typed_or_ticked_is_lost(
    come, check, live_server, settings
):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    values = {**PERSON, **ADDRESS, **BUSINESS, "business_type": "SSN", "ownership_percent": 100}
    lead = factories.make_lead(email="ada@example.com", **values)
    made = factories.make_application(lead, at=timezone.now())
    ada = come(**PHONE)
    ada.come_in(links.location(made))
    ada.go_to("review")
    check(ada)
    for text in LegalText:
        ada.page.check(f"#id_{text}")
    ada.page.fill("#id_signed_name", "José Núñez-Ortega")

    give(ada, f"front-{SLOT}", card())
    ada.page.wait_for_selector(f"#{SLOT} .files")
    assert ada.page.input_value("#id_signed_name") == "José Núñez-Ortega"
    assert all(ada.page.is_checked(f"#id_{text}") for text in LegalText)
    check(ada)
    ada.page.route("**/documents?review", lambda route: (time.sleep(1), route.continue_()))
    back = {"name": "back.png", "mimeType": "image/png", "buffer": card("BACK SIDE")}
    ada.page.set_input_files(f"#back-{SLOT}", back)
    ada.page.click("#step .button")
    ada.go_to("status")

    assert Document.objects.count() == 2
    made.refresh_from_db()
    assert made.submitted_at is not None


def test_boxes_are_ticked_anew_if_the_answers_changed_while_a_picture_was_sent(
    come, live_server, settings
):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    values = {**PERSON, **ADDRESS, **BUSINESS, "business_type": "SSN", "ownership_percent": 100}
    lead = factories.make_lead(email="ada@example.com", **values)
    ada = come(**COMPUTER)
    ada.come_in(links.location(factories.make_application(lead, at=timezone.now())))
    ada.go_to("review")
    for text in LegalText:
        ada.page.check(f"#id_{text}")
    type(lead).objects.update(city="Albany")

    give(ada, f"front-{SLOT}", card())
    ada.page.wait_for_selector(f"#{SLOT} .files")

    assert "Albany" in ada.page.inner_text("#answers")
    assert not any(ada.page.is_checked(f"#id_{text}") for text in LegalText)
