"""The whole hosted journey in a real browser: from the partner's call to the status."""

from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import LegalText
from onboarding.models import Application, Consent, Owner
from onboarding.queries import audit
from onboarding.services import lifecycle
from onboarding.services.history import CHECKS
from tests import factories
from tests.onboarding.conftest import PartnerApi
from tests.staff import sign_in

CODE = "000000"  # of the sandbox
WINDOWS = {
    "English": {"locale": "en-US"},
    "Spanish": {"locale": "es-MX"},
    "English without scripts": {"locale": "en-US", "java_script_enabled": False},
    "Spanish without scripts": {"locale": "es-MX", "java_script_enabled": False},
    "phone": {"locale": "en-US", "viewport": {"width": 375, "height": 700}, "has_touch": True},
}
LEAD = {
    "email": "ada@example.com",
    "firstName": "Ada",
    "lastName": "Byron",
    "businessName": "Analytical Engines LLC",
    "businessType": "MMLLC",
    "uboList": [{"email": "grace@example.com", "firstName": "Grace", "lastName": "Hoper"}],
}
YOU = {
    "phone_number": "202-555-0123",
    "birth_date": "1985-12-10",
    "ssn": "123-45-6789",
    "line1": "1 Main Street",
    "city": "New York",
    "state": "NY",
    "postal_code": "10001",
    "ownership_percent": "60",
    "title": "CEO",
}
BUSINESS = {
    "business_name": "Analytical Engines of New York LLC",
    "ein": "12-3456789",
    "incorporation_state": "DE",
    "naics_code": "541511",
    "business_address_line1": "2 Main Street",
    "business_address_city": "New York",
    "business_address_state": "NY",
    "business_address_postal_code": "10001",
}
GRACE = {
    "last_name": "Hopper",
    "phone_number": "202-555-0124",
    "birth_date": "1976-01-01",
    "ownership_percent": "25",
    "address_line1": "3 Main Street",
    "address_city": "Arlington",
    "address_state": "VA",
    "address_postal_code": "22201",
    "ssn": "223-45-6789",
}
ALAN = {
    **GRACE,
    "first_name": "Alan",
    "last_name": "Turing",
    "email": "alan@example.com",
    "phone_number": "202-555-0125",
    "ownership_percent": "15",
    "ssn": "323-45-6789",
}
FILES = {"ARTICLES_OF_ORGANIZATION": "articles.pdf", "EIN_PROOF": "ein.pdf"}
LATER = {"OPERATING_AGREEMENT": "operating-agreement.pdf"}
NEXT, SEND = "button[name=next]", "[data-send]"
PRIVATE = ["123-45-6789", "123456789", "223456789", "12-3456789"]

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)


@pytest.fixture
def api(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    partner = factories.make_partner(
        name="Acme Inc", display_name="Acme Books", return_url="https://acme.example.com/"
    )
    return PartnerApi(factories.make_api_key(partner))


class Applicant:
    """Somebody at a browser; what the console says and whom it asks is remembered."""

    def __init__(self, chromium, **options):
        self.context = chromium.new_context(**options)
        self.page = self.context.new_page()
        self.has_scripts = options.get("java_script_enabled", True)
        self.faults, self.hosts = [], set()
        self.page.on("console", lambda said: said.type == "error" and self.faults.append(said.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda asked: self.hosts.add(urlsplit(asked.url).netloc))

    def type(self, values):
        for name, value in values.items():
            field = self.page.locator(f"#id_{name}")
            if field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)

    def press(self, button="main .button"):
        self.page.locator(button).first.click()

    def go_to(self, step):
        self.page.wait_for_url(f"**/{step}")

    def come_in(self, location):
        self.page.goto(location)
        self.press()
        self.page.fill("#id_code", CODE)
        self.press()

    def give(self, files, button):
        """Choose files; scripts send them at once, without them the button does."""
        for slot, name in files.items():
            content = factories.PDF + name.encode()
            file = {"name": name, "mimeType": "application/pdf", "buffer": content}
            self.page.set_input_files(f"#files-{slot}", file)
            if self.has_scripts:
                self.page.wait_for_selector(f"#{slot} .files", state="attached")
        if not self.has_scripts or button == NEXT:
            self.press(button)

    def sign(self, name):
        for text in LegalText:
            self.page.check(f"#id_{text}")
        self.page.fill("#id_signed_name", name)
        self.press("form[action$=review] .button")


@pytest.fixture
def come(chromium):
    opened = []

    def come(**options):
        opened.append(Applicant(chromium, **options))
        return opened[-1]

    yield come
    for applicant in opened:
        applicant.context.close()


def fill_in_everything(applicant):
    """Go through the steps from the first one to the review."""
    applicant.go_to("you")
    applicant.type(YOU)
    applicant.press("form[action$=you] .button")
    applicant.go_to("business")
    applicant.type(BUSINESS)
    applicant.press("form[action$=business] .button")
    applicant.go_to("owners")
    applicant.page.locator("a[href*='/owners/']:not([href$=add], [href$=remove])").click()
    applicant.type(GRACE)
    applicant.press("main form .button")
    applicant.go_to("owners")
    applicant.page.click("a[href$='owners/add']")
    applicant.type(ALAN)
    applicant.press("main form .button")
    applicant.go_to("owners")
    applicant.page.locator("input[name=person]").nth(1).check()
    applicant.press("form[action$=control] .button")
    applicant.go_to("documents")
    applicant.give(FILES, NEXT)
    applicant.go_to("review")


@pytest.fixture
def seen(api):
    """Return where the application stands, as the partner and staff see it."""
    staff = sign_in(User.objects.create_superuser("chief@example.com"))

    def seen():
        application = Application.objects.select_related("lead").get()
        told = api.get(f"lead/{application.lead.external_id}").json()["status"]
        screen = staff.get(f"/admin/onboarding/application/{application.pk}/change/")
        assert Status(application.status).label in screen.content.decode()
        assert application.status == told
        return Status(told)

    return seen


@pytest.mark.parametrize("window", WINDOWS)
def test_a_business_applies_from_the_partners_call_to_the_status(
    api, come, live_server, seen, window
):
    location = api.create(**LEAD)["location"]
    applicant = come(**WINDOWS[window])
    page = applicant.page
    stages = [seen()]

    applicant.come_in(location)
    stages.append(seen())
    fill_in_everything(applicant)
    review = page.content()
    applicant.sign("Ada Byron")
    applicant.go_to("status")
    stages.append(seen())
    ask_for_documents()
    page.reload()
    stages.append(seen())
    applicant.give(LATER, SEND)
    page.wait_for_selector(f"#flow[data-status={Status.IN_REVIEW}]")
    stages.append(seen())

    assert stages == [
        Status.CREATED, Status.IN_PROGRESS, Status.SUBMITTED, Status.DOCUMENTS_REQUIRED,
        Status.IN_REVIEW,
    ]  # fmt: skip
    for shown in ("Grace Hopper", "Alan Turing", "Engines of New York LLC", "articles.pdf"):
        assert shown in review
    assert not [number for number in PRIVATE if number in review + page.content()]
    owners = Owner.objects.order_by("pk")
    assert [owner.is_control_person for owner in owners] == [True, False]
    language = WINDOWS[window]["locale"][:2]
    assert page.get_attribute("html", "lang") == language
    assert set(Consent.objects.values_list("language", flat=True)) == {language}
    assert list(audit.find_faults()) == []
    assert applicant.faults == []
    assert applicant.hosts == {urlsplit(live_server.url).netloc}


def ask_for_documents():
    application = Application.objects.select_related("lead").get()
    lifecycle.move(application, Status.DOCUMENTS_REQUIRED, by=CHECKS, at=timezone.now())
