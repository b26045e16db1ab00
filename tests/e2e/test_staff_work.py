"""The work of reviewers and approvers in a real browser: hits, quality checks, customer cases."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus, CheckCode, CheckSource, HitStatus
from onboarding.event_types import EventType
from onboarding.models import CustomerCase, Lead, QualityCheck, ScreeningHit
from onboarding.services.customers import partner_changes
from onboarding.services.documents.file_store import file_transaction
from tests import factories
from tests.e2e import axe, browsing
from tests.e2e.test_lists import CUT_OFF
from tests.onboarding.cases import load
from tests.onboarding.customers import make_customer, make_review
from tests.onboarding.hits import make_case_with_hits

PASSWORD = "copper-otter-9-lamp"
ONBOARDING = "/admin/onboarding"
PICTURES = os.environ.get("PICTURES")  # a folder for whoever wants to look

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


class Colleague:
    """A member of staff at a browser, who counts clicks."""

    def __init__(self, chromium, script, live_server, name):
        self.script = script
        self.user = User.objects.create_superuser(
            f"{name}@example.com", PASSWORD, first_name=name.capitalize(), last_name="Reyes"
        )
        self.page = chromium.new_context(
            base_url=live_server.url, viewport={"width": 1280, "height": 800}
        ).new_page()
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.goto("/admin/")
        self.page.fill("[name=username]", self.user.email)
        self.page.fill("[name=password]", PASSWORD)
        self.page.click("form [type=submit]")

    def open(self, path):
        self.page.goto(f"{ONBOARDING}/{path}")

    def press(self, text, *, within="main", loads=True):
        """Press a button or a link with a text, and wait for the next page."""
        button = self.page.locator(f"{within} :is(button, a):has-text('{text}')").first
        if loads:
            with self.page.expect_navigation():
                button.click()
        else:
            button.click()

    def take_picture(self, name):
        if PICTURES:
            self.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)

    def look(self, name):
        """Require a page without faults of accessibility and without sideways scrolling."""
        self.take_picture(name)
        assert axe.findings(self.page, self.script) == []
        assert browsing.overflow(self.page) <= 0

    def read(self, part="main"):
        return self.page.inner_text(part)


@pytest.fixture
def team(chromium, script, live_server, settings):
    """Return two colleagues, Dana and Omar, each in a window of their own."""
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    made = [Colleague(chromium, script, live_server, name) for name in ("dana", "omar")]
    yield made
    for one in made:
        one.page.context.close()
    assert [fault for one in made for fault in one.faults] == []


def answered(colleague, text):
    """Wait until the part about hits answers with a text."""
    colleague.page.wait_for_selector(f"#hits .answer:has-text('{text}')")


def test_hits_are_judged_singly_and_in_bulk_and_cleared_by_a_second_person(team):
    dana, omar = team
    case = make_case_with_hits(4001, 4002, 4003)
    dana.open(f"application/{case.pk}/change/")
    dana.look("hits")

    dana.page.locator("#hits [name=hits]").first.check()
    dana.page.fill("#hits-reason", "No birth date on the list.")
    dana.press("Inconclusive", within="#hits", loads=False)
    answered(dana, "The hits are judged: inconclusive.")
    single = [hit.status for hit in ScreeningHit.objects.order_by("-score", "pk")]

    dana.press("Choose all", within="#hits", loads=False)
    dana.page.fill("#hits-reason", "Born in 1952, the customer in 1979.")
    dana.press("Propose: false positive", within="#hits", loads=False)
    answered(dana, "A second person must confirm")
    omar.open(f"application/{case.pk}/change/")
    omar.look("clearings")
    omar.press("Choose all", within="#hits", loads=False)
    omar.press("Confirm: false positive", within="#hits", loads=False)
    answered(omar, "Confirmed: the hits are false positives.")

    assert single == [HitStatus.INCONCLUSIVE, HitStatus.UNREVIEWED, HitStatus.UNREVIEWED]
    assert {hit.status for hit in ScreeningHit.objects.all()} == {HitStatus.FALSE_POSITIVE}
    assert "All 3 cleared" in omar.read("#hits")


def test_a_quality_check_is_judged_blind_and_then_shows_the_decision(team):
    dana, _ = team
    check = make_quality_check()
    dana.page.goto("/admin/")
    dana.open("qualitycheck/")
    dana.page.locator("#result_list tbody tr a").first.click()
    dana.page.wait_for_selector("#judgement")
    before = dana.read()
    dana.look("quality-check")

    dana.page.locator("[name=verdict][value=DENY]").check()
    dana.page.fill("[name=reason]", "The articles name another address.")
    dana.press("Save my judgement")

    assert "Harbor Coffee LLC" in before
    assert "Iris Moss" not in before
    assert "Iris Moss" in dana.read("#judgement")
    check.refresh_from_db()
    assert (check.verdict, check.judged_by) == ("DENY", dana.user)


def make_quality_check():
    """Return an approval of Iris Moss's that was chosen."""
    at = timezone.now() - timedelta(hours=1)
    iris = factories.make_user(user_type="STAFF", first_name="Iris", last_name="Moss")
    lead = factories.make_lead(business_name="Harbor Coffee LLC", first_name="Ada")
    case = factories.make_application(lead, status=ApplicationStatus.APPROVED)
    item = {"source": CheckSource.MANUAL, "code": CheckCode.ADDRESS_CONFIRMED}
    factories.make_check(factories.make_check_run(case, at=at), **item, by=iris, at=at)
    event = factories.make_event(case, EventType.APPROVED, rule=70, policy_version=1)
    return QualityCheck.objects.create(
        application=case, event=event, decided_by=iris, decided_at=at
    )


def test_a_requested_change_is_claimed_and_decided(team):
    dana, _ = team
    customer = make_customer(at=timezone.now())
    with file_transaction() as store:
        partner_changes.request_change(
            partner=customer.lead.partner,
            customer_id=str(customer.lead.external_id),
            details={"phone_number": "+12025550188", "reason": "A new phone."},
            store=store,
            at=timezone.now(),
        )
    dana.page.goto("/admin/")
    dana.open("customercase/?queue=unassigned")
    dana.take_picture("customer-cases")  # a list of Django's own, with its small filters
    is_cut_off = dana.page.evaluate(CUT_OFF)
    dana.page.locator("#result_list tbody th a").first.click()
    dana.press("Claim")
    dana.look("change-request")
    page = dana.read()

    dana.press("Approve the change")
    dana.page.fill("[name=reason]", "Called back on the old number.")
    dana.look("change-request-form")
    dana.press("Approve the change", within="main form")

    assert "The case is closed, with the outcome “Approve the change”." in dana.page.inner_text(
        "body"
    )
    assert "phoneNumber" not in page
    assert not is_cut_off
    assert CustomerCase.objects.get().assignee == dana.user
    assert Lead.objects.get().phone_number == "+12025550188"


def test_a_customer_case_is_handed_over_and_the_bell_tells_the_colleague(team):
    dana, omar = team
    review = make_review(at=timezone.now(), by=dana.user)
    name = review.customer.business.legal_name
    dana.open("customercase/?queue=mine")
    assert name in dana.read("#result_list")

    dana.page.locator("#result_list tbody th a").first.click()
    dana.press("Hand over")
    dana.page.select_option("[name=to]", str(omar.user.pk))
    dana.page.fill("[name=note]", "You know the partner.")
    dana.press("Hand over", within="main form")
    omar.page.goto("/admin/")
    assert omar.read(".bell") == "Notifications 1"
    omar.page.click(".bell")
    omar.take_picture("notifications")
    omar.press("Open", within="#result_list")

    assert omar.page.url.endswith(f"{ONBOARDING}/customercase/{review.pk}/change/")
    assert "Omar Reyes" in omar.read()
    review.refresh_from_db()
    assert review.assignee == omar.user
    dana.open("customercase/?queue=mine")
    assert name not in dana.page.inner_text("#changelist")


def test_an_application_is_handed_over_on_its_page(team):
    dana, omar = team
    case = factories.make_application(
        factories.make_lead(business_name="Harbor Coffee LLC"),
        status=ApplicationStatus.IN_REVIEW,
        assignee=dana.user,
        claimed_by=dana.user,
        claimed_until=timezone.now() + timedelta(minutes=20),
    )
    dana.open(f"application/{case.pk}/change/")

    fold = dana.page.locator("#decision details:has(form[action*='/reassign/'])").first
    fold.locator("summary").first.click()
    form = fold.locator("form[action*='/reassign/']")
    form.locator("[name=to]").select_option(str(omar.user.pk))
    form.locator("button").last.click()
    dana.page.wait_for_selector("#decision .answer")

    assert load(case).assignee == omar.user
    omar.open("application/?queue=mine")
    assert "Harbor Coffee LLC" in omar.read("#result_list")
