"""The weight of each page of the journey, in bytes of HTML, in both languages."""

from decimal import Decimal

import pytest

from onboarding.industry_search import AT_MOST
from onboarding.models import Lead
from tests.onboarding.flow.test_business import MAILING, QUESTIONS
from tests.onboarding.flow.test_review import whole

__all__ = ["whole"]  # an applicant with nothing missing but documents
MOST = 12 * 1024  # bytes of HTML
PAGES = [
    *("", "you", "business", "owners", "owners/add", "owners/ask", "owners/holders/add"),
    *("documents", "review", "status", "withdraw", "legal/ACCOUNT_AGREEMENT"),
]


@pytest.fixture
def journey(whole, make_owner, settings):
    make_owner(
        whole.lead,
        email="grace@example.com",
        first_name="Grace",
        last_name="Hopper",
        ownership_percent=Decimal(25),
    )
    return whole


@pytest.mark.parametrize("language", ["en", "es"])
def test_no_page_weighs_more_than_twelve_kilobytes(journey, settings, language):
    journey.client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    owner = journey.lead.owners.get()
    pages = [*PAGES, f"owners/{owner.external_id}", f"owners/{owner.external_id}/invitation"]

    weights = {
        page: len(journey.client.get(journey.path(page), follow=True).content) for page in pages
    }

    assert {page: weight for page, weight in weights.items() if weight > MOST} == {}


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("questions", [[], QUESTIONS])
def test_the_page_of_a_business_with_a_mailing_address_weighs_no_more(
    journey, settings, language, questions
):
    journey.client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    lead = journey.lead
    lead.mailing_address = {
        name.removeprefix("mailing_address_"): one for name, one in MAILING.items()
    }
    lead.edd_answers = questions
    lead.save()

    shown = journey.get("business").content

    assert b'name="mailing_address_line1" value="PO Box 12"' in shown
    assert shown.count(b"<textarea") == len(questions)
    assert len(shown) <= MOST


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_page_of_a_business_with_industries_to_choose_from_weighs_no_more(
    journey, settings, language
):
    journey.client.cookies[settings.LANGUAGE_COOKIE_NAME] = language

    shown = journey.fill_in("business", naics_code="bread and cakes", then="search").content

    assert shown.count(b'name="industry_pick"') == AT_MOST
    assert len(shown) <= MOST


@pytest.mark.parametrize("page", ["you", "business"])
def test_a_page_has_no_list_of_countries_or_states(journey, page):
    assert b"<option" not in journey.get(page).content


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_review_with_the_identification_weighs_no_more(whole, settings, language):
    whole.client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    Lead.objects.update(business_type="SSN", ownership_percent=100)

    shown = whole.get("review").content

    assert b'id="uploads"' in shown
    assert len(shown) <= MOST
