"""The search box of the header: what it shows to whom, and what is recorded."""

import re

import pytest

from banking.models import StaffEvent
from onboarding.choices import ApplicationStatus as Status
from tests import factories

SEARCH = "/admin/onboarding/application/search/"
CASES = ("view_application", "view_lead")


@pytest.fixture
def case(make_lead, make_application):
    lead = make_lead(
        business_name="Benson <b>Bakery</b>",
        first_name="Ada",
        last_name="Stone",
        phone_number="+12025550132",
        ssn="123-45-6789",
    )
    return make_application(lead, status=Status.IN_REVIEW)


def ask(client, text):
    return client.post(SEARCH, {"text": text})


def test_every_page_has_the_box(chief):
    for path in ("/admin/", "/admin/onboarding/lead/", SEARCH):
        assert f'action="{SEARCH}"' in chief.get(path).content.decode()


def test_a_case_is_shown_with_its_reason_and_escaped(case, chief):
    page = ask(chief, "bensn bakery").content.decode()

    assert f"/admin/onboarding/application/{case.pk}/change/" in page
    assert "Benson &lt;b&gt;Bakery&lt;/b&gt;" in page
    assert "Business name" in page
    assert "In review" in page


def test_each_kind_of_person_and_record_leads_to_a_page(chief):
    business = factories.make_business(legal_name="Quill Works")
    owner = {"first_name": "Quill", "last_name": "Reyes", "email": "quill@example.com"}
    factories.make_business_owner(business, **owner)
    factories.make_owner(**owner)
    factories.make_accountant(firm_name="Quill & Ledger")
    factories.make_supplier(business, name="Quill Paper")
    factories.make_partner(name="Quill Pay")
    factories.make_user(user_type="BUSINESS", first_name="Quill", last_name="Customer")
    factories.make_user(user_type="STAFF", first_name="Quill", last_name="Staff")

    found = set(
        re.findall(r'<a href="(/admin/[^"]+/change/)">', ask(chief, "quill").content.decode())
    )

    assert len(found) == 6
    assert {path: chief.get(path).status_code for path in found} == dict.fromkeys(found, 200)


def test_a_personal_number_is_masked_and_recorded_without_it(case, chief):
    page = ask(chief, "123-45-6789").content.decode()

    assert "SSN ends in 6789" in page
    event = StaffEvent.objects.get()
    assert event.type == "NUMBER_SEARCHED"
    assert event.details == {"searched": "the whole number", "found": 1, "by": "chief@example.com"}


def test_other_searches_are_not_recorded(case, chief):
    ask(chief, "bensn bakery")

    assert not StaffEvent.objects.exists()


def test_who_may_not_search_numbers_is_told_and_nothing_is_recorded(case, make_staff):
    page = ask(make_staff(*CASES), "6789").content.decode()

    assert "You may not search by personal numbers" in page
    assert "Bakery" not in page
    assert not StaffEvent.objects.exists()


def test_with_the_permission_the_last_four_digits_are_found(case, make_staff):
    page = ask(make_staff(*CASES, "search_number"), "6789").content.decode()

    assert "SSN ends in 6789" in page
    assert StaffEvent.objects.get().details["searched"] == "the last four digits"


def test_groups_that_may_not_be_viewed_are_left_out(case, make_staff):
    page = ask(make_staff("view_partner"), "ada stone").content.decode()

    assert "Nothing was found" in page


def test_nothing_is_searched_in_addresses(case, chief):
    page = chief.get(SEARCH, {"text": "ada stone"}).content.decode()

    assert "Bakery" not in page


@pytest.mark.parametrize("text", ["", " ", "\0", "%" * 300, "ada\0stone", "(" * 50])
def test_odd_texts_are_answered(text, chief):
    assert ask(chief, text).status_code == 200
