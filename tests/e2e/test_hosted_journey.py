"""The whole hosted journey in a real browser: from the partner's call to the status."""

from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Consent, Owner
from onboarding.queries import audit
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import CHECKS
from tests import factories
from tests.e2e.applicants import LATER, LEAD, SEND, Applicant, fill_in_everything
from tests.onboarding.conftest import PartnerApi
from tests.staff import sign_in

WINDOWS = {
    "English": {"locale": "en-US"},
    "Spanish": {"locale": "es-MX"},
    "English without scripts": {"locale": "en-US", "java_script_enabled": False},
    "Spanish without scripts": {"locale": "es-MX", "java_script_enabled": False},
    "phone": {"locale": "en-US", "viewport": {"width": 375, "height": 700}, "has_touch": True},
}
PRIVATE = ["123-45-6789", "123456789", "223456789", "12-3456789"]

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def api(live_server, settings):
    settings.BASE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    partner = factories.make_partner(
        name="Acme Inc", display_name="Acme Books", return_url="https://acme.example.com/"
    )
    return PartnerApi(factories.make_api_key(partner))


@pytest.fixture
def come(chromium):
    opened = []

    def come(**options):
        opened.append(Applicant(chromium, **options))
        return opened[-1]

    yield come
    for applicant in opened:
        applicant.context.close()


@pytest.fixture
def seen(api):
    """Return where the application stands, as the partner and staff see it."""
    staff = sign_in(User.objects.create_superuser("chief@example.com"))

    def seen():
        application = Application.objects.select_related("lead").get()
        partner_status = api.get(f"lead/{application.lead.external_id}").json()["status"]
        screen = staff.get(f"/admin/onboarding/application/{application.pk}/change/")
        assert Status(application.status).label in screen.content.decode()
        assert application.status == partner_status
        return Status(partner_status)

    return seen


@pytest.mark.parametrize("window", WINDOWS)
def test_a_business_applies_from_the_partners_call_to_the_status(
    api, come, live_server, seen, window
):
    created = api.create(**LEAD)
    location = created["location"]
    applicant = come(**WINDOWS[window])
    page = applicant.page
    stages = [seen()]
    session = api.post(f"lead/{created['customerId']}/session", {}).json()
    assert session["location"] == location  # the link that was sent before stays

    applicant.come_in(location)
    stages.append(seen())
    fill_in_everything(applicant)
    review = page.content()
    applicant.sign("Ada Byron")
    applicant.go_to("status")
    stages.append(seen())
    ask_for_documents()
    if not applicant.has_scripts:
        page.reload()
    page.wait_for_selector(f"#flow[data-status={Status.DOCUMENTS_REQUIRED}]")
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
