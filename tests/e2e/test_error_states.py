"""What somebody sees whose answer is refused: each form of the flow with its errors.

A state is a function that leads a person to a page with errors.
"""

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import HolderKind
from onboarding.models import Application, FlowSession, Lead, PhoneLink
from onboarding.services.access import links, sessions
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.test_embedded import application as embedded_application
from tests.e2e.test_embedded import bank, browse, complete, embedded, host, partner, type_signature
from tests.e2e.test_flow_documents import a_file, open_other
from tests.e2e.test_identification import give
from tests.id_pictures import surface
from tests.onboarding.services.leads.test_submissions import ADDRESS, BUSINESS, PERSON

__all__ = ["bank", "browse", "embedded", "host", "partner"]
LOOKS = [(1280, "dark"), (375, "light")]
WRONG_PERSON = {
    "first_name": "李",
    "last_name": "Ada2",
    "phone_number": "1",
    "birth_date": "2030-02-29",
    "ssn": "000-00-0000",
}
WRONG_ADDRESS = {
    "line1": "P.O. Box 12",
    "city": "New York",
    "state": "NY",
    "postal_code": "90210",
}
QUESTIONS = ["Where does the money come from?", "Which countries do you trade with?"]

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def application(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    partner = factories.make_partner(display_name="Northwind", support_email="help@example.com")
    lead = factories.make_lead(partner, email="ada@example.com", business_name="")
    return factories.make_application(lead, at=timezone.now())


@pytest.fixture
def invitation(application):
    names = {"first_name": "Grace", "last_name": "Hopper", "email": "grace@example.com"}
    owner = factories.make_owner(application.lead, ownership_percent=30, **names)
    return factories.make_invitation(owner, at=timezone.now())


class Visitor:
    """Somebody at a browser below one link."""

    def __init__(self, person, root, script):
        self.person, self.page, self.root, self.script = person, person.page, root, script

    def enter(self, opened):
        """Take a session that was opened by a code."""
        self.person.context.add_cookies(
            [{"name": "applicant", "value": opened.key, "url": self.root}]
        )

    def open(self, name=""):
        self.page.goto(f"{self.root}/{name}" if name else self.root)

    def type(self, values, prefix=""):
        self.person.type({f"{prefix}{name}": value for name, value in values.items()})

    def send(self, button="#step .button:not(.find)"):
        with self.page.expect_navigation():
            self.page.locator(button).first.click()

    def faults(self):
        """Return what is wrong with the page, wide and dark, and narrow and light."""
        self.page.wait_for_selector("#summary")
        unfold = "document.querySelectorAll('details').forEach((one) => { one.open = true })"
        self.page.evaluate(unfold)
        faults = [] if self.page.title().startswith("Error: ") else [self.page.title()]
        for width, scheme in LOOKS:
            self.page.set_viewport_size({"width": width, "height": 800})
            self.page.emulate_media(color_scheme=scheme)
            faults += [(width, found) for found in axe.findings(self.page, self.script)]
            if (wider := browsing.overflow(self.page)) > 0:
                faults.append((width, f"{wider} pixels too wide"))
        return faults


@pytest.fixture
def visit(come, script):
    """Return a function that opens a window below a link."""

    def visit(root, opened=None):
        visitor = Visitor(come(locale="en-US"), root, script)
        if opened:
            visitor.enter(opened)
        return visitor

    return visit


@pytest.fixture
def ada(visit, application):
    """The applicant, who has entered a code."""
    opened = sessions.open_session(application, language="en", at=timezone.now())
    return visit(links.location(application), opened)


def assert_anybody_can_use(visitor, *states):
    found = {}
    for state in states:
        state(visitor)
        found[state.__name__] = visitor.faults()
    assert {name: faults for name, faults in found.items() if faults} == {}


def save(row, **values):
    for name, value in values.items():
        setattr(row, name, value)
    row.save()


def save_lead(**values):
    save(Lead.objects.get(), **values)


def nothing_about_the_applicant(ada):
    ada.open("you")
    ada.send()


def every_answer_about_the_applicant_is_wrong(ada):
    ada.type(WRONG_PERSON)
    ada.type(WRONG_ADDRESS)
    ada.page.locator("main details").first.evaluate("one => { one.open = true }")
    ada.type({"passport_number": "P1234567", "id_expiration_date": "2020-01-01"})
    ada.send()


def a_zip_code_of_another_state(ada):
    ada.type({"line1": "1 Main Street"})
    ada.send()
    ada.page.wait_for_selector("#id_postal_code_sure")


def nothing_about_the_business(ada):
    ada.open("business")
    ada.send()


def nothing_of_a_mailing_address_and_of_further_questions(ada):
    asked = [{"question": question} for question in QUESTIONS]
    Lead.objects.update(**ADDRESS, edd_answers=asked)
    ada.open("business")
    ada.page.check("[name=premises][value=OTHER]")
    ada.page.check("[name=mailing][value=OTHER]")
    ada.page.wait_for_selector("#id_mailing_address_city")
    ada.send()


def every_answer_about_the_business_is_doubtful(ada):
    Lead.objects.update(ownership_percent=100)
    ada.page.check("[name=business_type][value=MMLLC]")
    ada.type({"business_name": "Bread LLC", "ein": "1", "incorporation_state": "Nowhere"})
    ada.type({"incorporation_date": "2030-02-01", "naics_code": "713210"})
    ada.type({"ownership_percent": "100"})
    ada.type(WRONG_ADDRESS, "business_address_")
    ada.type(WRONG_ADDRESS, "mailing_address_")
    ada.send()
    ada.page.wait_for_selector(".sure")


def words_that_find_no_industry(ada):
    ada.type({"naics_code": "qwertz"})
    ada.send()


def nobody_else_is_asked_about(ada):
    ada.open("owners")
    ada.send()


def nothing_about_an_owner(ada):
    ada.open("owners/add")
    ada.send()


def every_answer_about_an_owner_is_wrong(ada):
    ada.type(WRONG_PERSON)
    ada.type(WRONG_ADDRESS, "address_")
    ada.type({"email": "alan", "ownership_percent": "200"})
    ada.send()


def nothing_about_an_owner_who_is_asked(ada):
    ada.open("owners/ask")
    ada.send()


def the_applicant_is_asked(ada):
    ada.type({"first_name": "Ada", "email": "ada@example.com", "ownership_percent": "101"})
    ada.send()


def nothing_about_a_trust(ada):
    ada.open("owners/holders/add")
    ada.send()


def a_trust_of_more_than_everything(ada):
    ada.page.check(f"[name=kind][value={HolderKind.TRUST}]")
    ada.type({"name": "Harbor Trust", "ein": "1", "share_percent": "99"})
    ada.page.fill("[name=person_applicant]", "101")
    ada.send()


def test_anybody_can_correct_what_they_said_about_themselves(ada):
    assert_anybody_can_use(
        ada,
        nothing_about_the_applicant,
        every_answer_about_the_applicant_is_wrong,
        a_zip_code_of_another_state,
    )


def test_anybody_can_correct_what_they_said_about_the_business(ada):
    assert_anybody_can_use(
        ada,
        nothing_about_the_business,
        nothing_of_a_mailing_address_and_of_further_questions,
        every_answer_about_the_business_is_doubtful,
        words_that_find_no_industry,
    )


def test_anybody_can_correct_what_they_said_about_owners(ada):
    Lead.objects.update(business_type="MMLLC", ownership_percent=60)

    assert_anybody_can_use(
        ada,
        nobody_else_is_asked_about,
        nothing_about_an_owner,
        every_answer_about_an_owner_is_wrong,
        nothing_about_an_owner_who_is_asked,
        the_applicant_is_asked,
        nothing_about_a_trust,
        a_trust_of_more_than_everything,
    )


def test_anybody_can_correct_the_address_of_an_owner_who_is_waited_for(ada, invitation):
    def no_address(ada):
        ada.open(f"owners/{invitation.owner.external_id}/invitation")
        ada.type({"email": "grace"})
        ada.send("#step .button")

    def nothing_about_an_owner_on_the_list(ada):
        other = factories.make_owner(invitation.owner.lead)
        ada.open(f"owners/{other.external_id}")
        ada.send()

    assert_anybody_can_use(ada, no_address, nothing_about_an_owner_on_the_list)


def a_refused_file(ada):
    ada.open("documents")
    open_other(ada.page)
    refused = a_file("bill.pdf", b"<script>alert(1)</script>")
    ada.page.set_input_files("#files-OTHER", refused)


def nothing_is_signed(ada):
    names = {"first_name": "Ada", "last_name": "Example", "business_type": "LLC"}
    values = {**PERSON, **ADDRESS, **BUSINESS, **names, "ownership_percent": 100}
    save_lead(**values, edd_answers=[])
    ada.open("review")
    ada.send()


def another_name_is_signed(ada):
    for box in ada.page.locator("#step input[type=checkbox]").all():
        box.check()
    ada.page.fill("#id_signed_name", "Somebody Else")
    ada.send()


def the_answers_changed_meanwhile(ada):
    save_lead(city="Albany")
    for box in ada.page.locator("#step input[type=checkbox]").all():
        box.check()
    ada.page.fill("#id_signed_name", "Ada Example")
    ada.send()


def something_is_missing(ada):
    Lead.objects.update(birth_date=None)
    ada.open("review")
    ada.send()


def nothing_is_answered_to_the_bank(ada):
    factories.make_note(ada.application, text="Which floor is it?", is_for_applicant=True)
    Application.objects.update(status=Status.IN_REVIEW)
    ada.open("status")
    ada.send("button[value=reply]")


def a_refused_file_after_the_signature(ada):
    Application.objects.update(status=Status.DOCUMENTS_REQUIRED)
    a_document = "ARTICLES_OF_ORGANIZATION"
    ada.open("status")
    ada.page.set_input_files(f"#files-{a_document}", a_file("bill.pdf", b"<script></script>"))


def test_anybody_can_correct_what_they_send_and_sign(ada, application):
    ada.application = application

    assert_anybody_can_use(
        ada,
        a_refused_file,
        nothing_is_signed,
        another_name_is_signed,
        the_answers_changed_meanwhile,
        something_is_missing,
        nothing_is_answered_to_the_bank,
        a_refused_file_after_the_signature,
    )


def no_code(visitor):
    visitor.open()
    visitor.send("main form .button")
    visitor.send("main form .button")


def half_a_code(visitor):
    visitor.page.fill("#id_code", "123")
    visitor.send("main form .button")


def a_wrong_code(visitor):
    visitor.page.fill("#id_code", "111111")
    visitor.send("main form .button")


def a_code_that_is_used_up(visitor):
    for _ in range(4):
        visitor.page.fill("#id_code", "111111")
        visitor.send("main form .button")


def a_wrong_code_after_another_was_sent(visitor):
    visitor.send("main form.aside button")
    a_wrong_code(visitor)


CODE_STATES = [
    no_code,
    half_a_code,
    a_wrong_code,
    a_code_that_is_used_up,
    a_wrong_code_after_another_was_sent,
]


def test_anybody_can_correct_a_code(visit, application, invitation):
    for root in (links.location(application), links.owner_location(invitation)):
        assert_anybody_can_use(visit(root), *CODE_STATES)


def nothing_about_oneself(grace):
    Lead.objects.update(first_name="Ada")
    grace.open("details")
    grace.type({"first_name": "", "last_name": ""})
    grace.send()


def every_answer_about_oneself_is_wrong(grace):
    grace.type(WRONG_PERSON)
    grace.type(WRONG_ADDRESS, "address_")
    grace.send()


def nothing_is_seen_in_the_picture(visitor):
    field = "front-OWN"
    give(visitor.person, field, surface())


def nothing_is_seen_in_the_owners_picture(grace):
    grace.open("identification")
    nothing_is_seen_in_the_picture(grace)


def nothing_is_signed_by_the_owner(grace):
    owner = FlowSession.objects.get(owner__isnull=False).owner
    values = {**PERSON, "first_name": "Grace", "last_name": "Hopper", "ownership_percent": 30}
    save(owner, **values, address=ADDRESS)
    grace.open("sign")
    grace.send()


def test_an_owner_can_correct_their_own_part(visit, invitation):
    opened = sessions.open_owner_session(invitation, language="en", at=timezone.now())
    grace = visit(links.owner_location(invitation), opened)

    assert_anybody_can_use(
        grace,
        nothing_about_oneself,
        every_answer_about_oneself_is_wrong,
        nothing_is_seen_in_the_owners_picture,
        nothing_is_signed_by_the_owner,
        another_name_is_signed,
    )


def test_anybody_can_correct_a_picture_on_a_phone(ada, visit):
    save_lead(passport_number="P1234567")
    ada.open("documents")
    ada.page.click("button[name=phone]")
    ada.page.wait_for_selector(".qr svg")
    assert PhoneLink.objects.exists()
    phone = visit(ada.page.inner_text(".address-of-phone"))
    phone.open()
    phone.send("main .button")
    phone.page.wait_for_url("**/photos")

    assert_anybody_can_use(phone, nothing_is_seen_in_the_picture)


def test_anybody_can_correct_what_they_answer_to_an_invitation(visit, application, live_server):
    referral = factories.make_referral(expires_at=timezone.now() + timezone.timedelta(days=1))
    rosa = visit(f"{live_server.url}/join/{referral.invite_code}")

    def nothing_in_the_answer(rosa):
        rosa.open()
        rosa.type({"first_name": "", "last_name": "", "email": "rosa"})
        rosa.send("main form .button")

    assert_anybody_can_use(rosa, nothing_in_the_answer)


def enter_wrong_code(frame):
    frame.locator("#id_code").fill("111111")
    frame.locator("main form.card button").click()
    frame.locator("#summary:focus").wait_for()


def test_anybody_can_correct_a_code_in_a_frame(embedded, script):
    frame, lead = embedded.frame, embedded_application().lead
    complete(lead)
    grace = factories.make_owner(lead, first_name="Alan", last_name="Turing")
    invitation = factories.make_invitation(grace, at=timezone.now())
    found = {}
    frame.get_by_role("link", name="Owners", exact=True).click()
    frame.locator(f"a[href$='{grace.external_id}/invitation']").click()
    frame.locator("a[href$=take-over]").click()
    frame.locator("main .button-danger").click()
    enter_wrong_code(frame)
    found["of a part"] = axe.findings(embedded.page.frames[1], script)
    invitation.delete()
    grace.delete()
    type_signature(frame)

    frame.locator("#step .button").click()
    enter_wrong_code(frame)
    found["of a signature"] = axe.findings(embedded.page.frames[1], script)

    assert found == {"of a part": [], "of a signature": []}
