"""What an application costs its applicant: clicks, typed fields, pages and kilobytes.

docs/effort.md has the figures; these tests hold them.
"""

import gzip
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import LegalText
from onboarding.models import Application, OwnerInvitation
from onboarding.services.access import links
from onboarding.services.leads.owner_parts import TEXTS
from tests import factories, id_pictures
from tests.e2e.applicants import CODE, YOU, Applicant
from tests.e2e.test_owner_part import PART
from tests.onboarding.services.leads.test_submissions import ADDRESS, BUSINESS, PERSON

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]

# A pointer that goes down is a click; a key in a field counts the field once for each page.
COUNT = """
addEventListener("pointerdown", () => effort("click", ""), true);
addEventListener("input", ({ target }) => {
  const isTyped = !["radio", "checkbox", "file"].includes(target.type);
  if (isTyped) effort("field", location.pathname + " " + target.name);
}, true);
"""


class Counted(Applicant):
    """Somebody at a browser whose effort is counted."""

    def __init__(self, chromium, **options):
        super().__init__(chromium, **options)
        self.clicks, self.fields, self.pages, self.answers = 0, set(), [], []
        self.page.expose_function("effort", self._count)
        self.page.add_init_script(COUNT)
        self.page.on("response", lambda answer: self.answers.append(answer))
        self.page.on("framenavigated", lambda frame: self.pages.append(urlsplit(frame.url).path))

    def _count(self, kind, field):
        self.clicks += kind == "click"
        if kind == "field":
            self.fields.add(field)

    @property
    def kilobytes(self):
        """Return what was sent: pages as they are, static files once and compressed."""
        static = {one.url: one for one in self.answers if "/static/" in one.url}
        pages = [one for one in self.answers if "/static/" not in one.url and one.status == 200]
        sizes = [len(gzip.compress(one.body())) for one in static.values()]
        sizes += [int(one.headers.get("content-length") or 0) for one in pages]
        return round(sum(sizes) / 1024)

    @property
    def effort(self):
        """Return clicks, typed fields, pages and kilobytes."""
        return self.clicks, len(self.fields), len(set(self.pages)), self.kilobytes

    def save(self):
        """Press the button of the step, as with a mouse."""
        self.press("#step .button")

    def come_in(self, location):
        self.page.goto(location)
        self.press("main form .button")
        self.page.fill("#id_code", CODE)
        self.press("main form .button")

    def sign(self, name, texts=LegalText):
        for text in texts:
            self.page.check(f"#id_{text}")
        self.page.fill("#id_signed_name", name)
        self.save()

    def choose_pictures(self):
        """Choose both sides of a card as with a mouse: a click opens the window of the files."""
        with self.page.expect_file_chooser() as asked:
            self.page.locator("#front-GOVERNMENT_IDENTIFICATION").click()
        sides = {"front.png": "ADA BYRON", "back.png": "BACK SIDE"}
        asked.value.set_files(
            [
                {"name": name, "mimeType": "image/png", "buffer": id_pictures.card(text)}
                for name, text in sides.items()
            ]
        )
        for name in sides:
            self.page.wait_for_selector(f".files >> text={name}")

    def find_industry(self, words, code):
        self.page.fill("#id_naics_code", words)
        self.page.press("#id_naics_code", "Enter")
        self.page.check(f"[name=industry_pick][value='{code}']")


@pytest.fixture
def come(chromium, live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    opened = []

    def come(location):
        opened.append(Counted(chromium, locale="en-US"))
        opened[-1].come_in(location)
        return opened[-1]

    yield come
    for one in opened:
        one.context.close()


def begin(**lead):
    return factories.make_application(
        factories.make_lead(**{"email": "ada@example.com", **lead}), at=timezone.now()
    )


def assert_at_most(effort, *limits):
    """Compare clicks, typed fields, pages and kilobytes with what they may be."""
    print(f"clicks, typed fields, pages, KB: {effort}")  # noqa: T201 - shown by pytest -s
    assert all(one <= limit for one, limit in zip(effort, limits, strict=True)), effort


def test_an_llc_that_a_partner_has_filled_in_checks_and_signs(come):
    values = {**PERSON, **ADDRESS, **BUSINESS, "ownership_percent": 100}
    ada = come(links.location(begin(**values)))

    ada.go_to("documents")
    ada.press("button[name=next]")
    ada.go_to("review")
    ada.sign("José Núñez-Ortega")
    ada.go_to("status")

    assert Application.objects.get().status == Status.SUBMITTED
    assert_at_most(ada.effort, 8, 2, 5, 140)


@pytest.fixture
def ada(come):
    """A sole proprietor of whom only the email is known, on the review."""
    ada = come(links.location(begin()))
    ada.go_to("you")
    ada.type({"first_name": "Ada", "last_name": "Byron", **YOU})
    ada.page.press("#id_ssn", "Enter")
    ada.go_to("business")
    ada.page.check("[name=business_type][value=SSN]")
    ada.page.check("[name=premises][value=HOME]")
    ada.find_industry("bakery", "311811")
    ada.save()
    ada.go_to("review")
    return ada


def test_a_sole_proprietor_of_whom_only_the_email_is_known(ada):
    ada.sign("Ada Byron")
    ada.go_to("status")

    assert Application.objects.get().status == Status.SUBMITTED
    assert ada.page.locator("#wanted, #GOVERNMENT_IDENTIFICATION").count() == 2  # asked for at once
    assert_at_most(ada.effort, 12, 12, 6, 120)


def test_a_sole_proprietor_of_whom_only_the_email_is_known_sends_both_sides_first(ada):
    """Both pictures are one click more, and no page."""
    ada.choose_pictures()
    ada.sign("Ada Byron")
    ada.go_to("status")

    assert Application.objects.get().status == Status.SUBMITTED
    assert ada.page.locator("#wanted").count() == 0  # nothing is asked for afterwards
    assert_at_most(ada.effort, 12, 12, 6, 120)


def test_a_sole_proprietor_whom_the_partner_has_filled_in_sends_both_sides_first(come):
    lead = {**PERSON, **ADDRESS, **BUSINESS, "business_type": "SSN", "ownership_percent": 100}
    ada = come(links.location(begin(**lead)))

    ada.go_to("review")
    ada.choose_pictures()
    ada.sign("José Núñez-Ortega")
    ada.go_to("status")

    assert Application.objects.get().status == Status.SUBMITTED
    assert ada.page.locator("#wanted").count() == 0  # nothing is asked for afterwards
    assert_at_most(ada.effort, 8, 2, 4, 120)


def test_an_llc_of_three_whose_owners_answer_for_themselves(come):
    """The partner knows the applicant's name and that of the business, as most do."""
    named = {"first_name": "Ada", "last_name": "Byron", "business_name": "Bread LLC"}
    application = begin(**named)
    ada = come(links.location(application))
    ada.go_to("you")
    ada.type(YOU)
    ada.save()
    ada.go_to("business")
    ada.page.check("[name=business_type][value=MMLLC]")
    ada.page.check("[name=premises][value=HOME]")
    ada.type({"ein": "12-3456789", "incorporation_state": "DE", "ownership_percent": "40"})
    ada.find_industry("bakery", "311811")
    ada.save()
    ada.go_to("owners")
    for name in ("Grace", "Alan"):
        ada.page.click("a[href$='owners/ask']")
        email = f"{name.lower()}@example.com"
        ada.type({"first_name": name, "last_name": "Hopper", "email": email})
        ada.type({"ownership_percent": "30"})
        ada.page.press("#id_ownership_percent", "Enter")
        ada.go_to("owners")
    ada.save()
    ada.go_to("documents")
    ada.press("button[name=next]")
    ada.go_to("review")

    for invitation in OwnerInvitation.objects.select_related("owner").order_by("pk"):
        owner = come(links.owner_location(invitation))
        owner.go_to("details")
        owner.type({**PART, "ssn": f"22{invitation.pk % 9}-45-6789"})
        owner.save()
        owner.go_to("sign")
        owner.sign(f"{invitation.owner.first_name} Hopper", TEXTS)
        owner.go_to("completed")
        assert_at_most(owner.effort, 8, 10, 5, 140)
    ada.page.reload()
    ada.sign("Ada Byron")
    ada.go_to("status")

    assert Application.objects.get().status == Status.SUBMITTED
    assert Application.objects.get().lead.owners.get(
        first_name="Alan"
    ).ownership_percent == Decimal(30)
    assert_at_most(ada.effort, 18, 22, 9, 140)
