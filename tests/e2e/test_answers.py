"""Answers that a page asks back about, corrects, shows and moves: with and without scripts."""

import pytest
from django.utils import timezone

from onboarding.models import Document, FlowSession, Holder, Lead
from onboarding.services.access import links, sessions
from tests import factories
from tests.e2e.applicants import YOU
from tests.e2e.test_flow_documents import a_file
from tests.e2e.test_owner_part import COMPUTER, PHONE
from tests.onboarding.services.leads.test_submissions import ADDRESS, BUSINESS, PERSON

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]
WINDOWS = {"computer": COMPUTER, "phone without scripts": {**PHONE, "java_script_enabled": False}}
NAMES = {"first_name": "Ada", "last_name": "Byron"}


@pytest.fixture
def application(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    lead = factories.make_lead(email="ada@example.com", business_name="Bread LLC", **NAMES)
    return factories.make_application(lead, at=timezone.now())


@pytest.fixture(params=WINDOWS.values(), ids=WINDOWS)
def ada(request, come, application):
    """An applicant who has entered a code."""
    person = come(**request.param)
    person.root = links.location(application)
    key = sessions.open_session(application, language="en", at=timezone.now()).key
    person.context.add_cookies([{"name": "applicant", "value": key, "url": person.root}])
    return person


def open_page(person, name):
    person.page.goto(f"{person.root}/{name}")


def save(person):
    """Press the button that saves the form, and wait for the page that follows."""
    with person.page.expect_navigation():
        person.press("#step .button:not(.find)")


def save_lead(**values):
    lead = Lead.objects.get()
    for name, value in values.items():
        setattr(lead, name, value)
    lead.save()


def error_of(person, name):
    return person.page.inner_text(f"#id_{name}_error")


def ticked_steps(person):
    return person.page.locator("nav.steps li.done a > span:first-child").all_inner_texts()


def test_doubtful_answers_about_oneself_are_told_at_their_field_and_corrected(ada):
    open_page(ada, "you")
    ada.type({**YOU, "first_name": "Zoe 🧁", "line1": "P.O. Box 12", "birth_date": "2030-01-01"})
    ada.type({"postal_code": "90210"})

    save(ada)

    assert "Latin letters" in error_of(ada, "first_name")
    assert "street address" in error_of(ada, "line1")
    assert "in the future" in error_of(ada, "birth_date")
    assert "does not seem to be in New York" in error_of(ada, "postal_code")
    ada.type({"first_name": "Zoë", "line1": "12 Main Street", "birth_date": "1985-12-10"})
    ada.page.check("#id_postal_code_sure")
    save(ada)
    ada.go_to("business")
    assert Lead.objects.get().postal_code == "90210"


def test_doubtful_answers_about_the_business_are_told_at_their_field(ada):
    save_lead(**PERSON, **ADDRESS)
    open_page(ada, "business")
    assert not ada.page.is_visible("#id_duns")
    ada.page.check("[name=business_type][value=MMLLC]")
    ada.page.check("[name=premises][value=HOME]")
    ada.type({"ein": "12-3456789", "incorporation_state": "NY", "naics_code": "713210"})
    ada.type({"ownership_percent": "100"})

    save(ada)

    assert "does not open accounts for this industry" in error_of(ada, "naics_code")
    assert "your share is 100 percent" in error_of(ada, "ownership_percent")
    assert ada.page.locator("#id_ownership_percent_sure").count() == 1
    ada.type({"naics_code": "311811", "ownership_percent": "40"})
    save(ada)
    ada.go_to("owners")
    assert Lead.objects.get().naics_code == "311811"


def test_an_expired_passport_is_told_at_once(ada):
    open_page(ada, "you")
    ada.page.click("text=No Social Security number or ITIN?")
    passport = {"passport_number": "P1234567", "id_expiration_date": "2020-01-01"}
    ada.type({**YOU, "ssn": "", **passport})

    save(ada)

    assert "expired" in error_of(ada, "id_expiration_date")
    assert ada.page.locator("#id_id_country_error").count() == 1


def test_two_windows_that_disagree_are_told_both_values(ada):
    open_page(ada, "you")
    other = ada.context.new_page()
    other.goto(ada.page.url)
    for page, city in ((other, "Albany"), (ada.page, "Boston")):
        page.fill("#id_city", city)
        with page.expect_navigation():
            page.locator("#step .button").first.click()

    assert "“Albany”" in error_of(ada, "city")
    assert ada.page.input_value("#id_city") == "Boston"
    save(ada)
    assert Lead.objects.get().city == "Boston"


def test_a_step_is_ticked_once_it_was_visited_and_is_complete(ada):
    save_lead(**PERSON, **ADDRESS, **BUSINESS)
    open_page(ada, "review")
    assert ticked_steps(ada) == []

    open_page(ada, "business")
    assert "Step 2 of 5" in ada.page.inner_text("nav.steps")
    open_page(ada, "you")

    assert ticked_steps(ada) == ["You", "Business"]  # owners and documents were not visited


def test_the_applicant_sees_a_number_that_they_typed_in_this_session_alone(ada, application):
    save_lead(**PERSON | NAMES | {"ssn": ""}, **ADDRESS, **BUSINESS)
    open_page(ada, "you")
    ada.type({"ssn": "223-45-6789"})
    save(ada)
    open_page(ada, "review")
    assert "223-45-6789" not in ada.page.content()

    ada.page.click("text=Show the numbers that you typed")

    assert "223-45-6789" in ada.page.inner_text("#answers")
    FlowSession.objects.all().delete()
    key = sessions.open_session(application, language="en", at=timezone.now()).key
    ada.context.add_cookies([{"name": "applicant", "value": key, "url": ada.root}])
    ada.page.reload()
    assert "223-45-6789" not in ada.page.content()


def test_a_file_is_moved_and_then_removed(ada):
    save_lead(business_type="MMLLC")
    open_page(ada, "documents")
    if not ada.page.is_visible("#files-OTHER"):
        ada.page.click("#OTHER .more summary")
    ada.page.set_input_files("#files-OTHER", a_file("letter.pdf"))
    if not ada.has_scripts:
        ada.press("[data-send]")
    sent = ada.page.locator("#OTHER .files")
    sent.wait_for()

    sent.get_by_text("Move or remove").click()
    sent.locator("select").select_option("OPERATING_AGREEMENT")
    sent.locator("button[name=move]").click()
    moved = ada.page.locator("#OPERATING_AGREEMENT .files, #OTHER .files:has-text('Operating')")
    moved.wait_for()
    moved.get_by_text("Move or remove").click()
    moved.locator("button[name=remove]").click()
    moved.wait_for(state="detached")

    assert Document.objects.get().status == "REPLACED"
    assert Document.objects.get().llc_file_type == "OPERATING_AGREEMENT"


def test_a_trust_is_added_with_a_person_behind_it_and_drawn(ada):
    save_lead(**PERSON | NAMES, **ADDRESS, **BUSINESS | {"business_type": "MMLLC"})
    open_page(ada, "owners")
    ada.page.click("a[href$='holders/add']")
    ada.page.check("[name=kind][value=TRUST]")
    ada.type({"name": "Harbor Family Trust", "share_percent": "40"})
    ada.page.click("button[value=person]")
    ada.go_to("owners/add")
    ada.type({"first_name": "Grace", "last_name": "Hopper", "email": "grace@example.com"})
    ada.type({"ownership_percent": "0"})
    save(ada)
    owner = Lead.objects.get().owners.get()
    open_page(ada, "owners/holders/add")
    assert ada.page.input_value("#id_name") == "Harbor Family Trust"
    ada.page.fill(f"[name=person_{owner.external_id}]", "100")

    save(ada)

    ada.go_to("owners")
    tree = ada.page.inner_text(".tree")
    assert "Harbor Family Trust (Trust): 40%" in tree
    assert "Grace Hopper: 100%, 40% of the business" in tree
    assert Holder.objects.get().stakes.get().owner == owner


def test_the_address_of_an_owner_is_corrected_and_the_old_link_ends(ada, application):
    owner = factories.make_owner(application.lead, email="grace@example.com", first_name="Grace")
    old = links.owner_location(factories.make_invitation(owner, at=timezone.now()))
    open_page(ada, f"owners/{owner.external_id}/invitation")

    ada.type({"last_name": "Hopper", "email": "hopper@example.com", "ownership_percent": "30"})
    save(ada)

    ada.go_to("owners")
    ada.page.click("a[href$=invitation]")
    assert "We asked hopper@example.com" in ada.page.inner_text("main")
    assert ada.page.goto(old).status >= 400
    ada.faults.clear()  # the browser notes that the link is gone
