"""The card of related cases, and the list of the cases that share one kind of value."""

import html
import re

import pytest

from onboarding.choices import ApplicationStatus as Status
from tests.staff import text_of

CASES = "/admin/onboarding/application/"
PHONE, SSN = "+12025550132", "123-45-6789"


@pytest.fixture
def case(make_application, make_lead):
    """A case whose phone one denied lead has as well."""
    case = make_application(
        make_lead(first_name="Ada", last_name="Lopez", phone_number=PHONE, ssn=SSN)
    )
    make_application(make_lead(business_name="Old Mill", phone_number=PHONE), status=Status.DENIED)
    make_application(make_lead(business_name="Other"))
    return case


def show(client, case):
    return client.get(f"{CASES}{case.pk}/change/")


def card(page):
    return re.search(r'<section class="card rows" id="related">.*?</section>', page, re.S)[0]


def test_the_case_names_related_cases_how_they_match_and_what_stands_out(case, chief):
    page = show(chief, case).content.decode()

    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", card(page)))
    assert "Old Mill" in text
    assert "Phone of Ada Lopez" in text
    assert text.count(" Denied ") == 1  # the status, without a mark that repeats it
    assert "Other " not in text.replace("Other leads", "")
    assert "1 related: denied or sanctions match" in text_of(show(chief, case))


def test_neither_the_card_nor_its_links_have_a_value(case, chief):
    shown = card(show(chief, case).content.decode())

    assert PHONE.removeprefix("+") not in shown
    assert "5550132" not in shown
    assert "6789" not in shown


def test_a_link_leads_to_the_cases_that_share_the_value(case, chief):
    [link] = re.findall(rf'href="({CASES}\?shares=[^"]+)"', card(show(chief, case).text))

    page = chief.get(html.unescape(link)).content.decode()

    assert re.findall(r'field-label"><a [^>]*><span class="line">([^<]*)', page) == ["Old Mill"]
    assert "Phone of " in page


def test_a_case_without_related_cases_says_so(make_application, chief):
    assert "No other lead has the same SSN" in show(chief, make_application()).content.decode()


@pytest.mark.parametrize(
    "value", ["", "PHONE", "PHONE-", "X-1", "PHONE-0", "PHONE-x", "SSN-" + "9" * 40]
)
def test_a_lead_or_kind_that_is_not_there_filters_nothing(case, chief, value):
    page = chief.get(CASES, {"shares": value}).content.decode()

    assert page.count('class="field-label"') == 3


def test_who_may_not_view_leads_learns_nothing(case, make_staff):
    staff = make_staff("view_application")

    assert 'id="related"' not in show(staff, case).content.decode()
    page = staff.get(CASES, {"shares": f"PHONE-{case.lead_id}"}).content.decode()
    assert page.count('class="field-label"') == 3


def test_the_card_takes_few_statements(case, make_application, make_lead, count_queries):
    path = f"{CASES}{case.pk}/change/"
    few = count_queries(path)
    for _ in range(30):
        make_application(make_lead(phone_number=PHONE))

    assert count_queries(path) == few
    assert count_queries(f"{CASES}?shares=PHONE-{case.lead_id}") <= 17
