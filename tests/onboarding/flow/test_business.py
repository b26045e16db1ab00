"""The step about the business."""

from datetime import date
from decimal import Decimal

import pytest

from onboarding.flow.forms import business as business_form
from onboarding.lead_fields import LeadField
from onboarding.models import Lead
from tests.onboarding.flow.conftest import errors
from tests.random_values import without_random_values

ADDRESS = {
    "business_address_country": "US",
    "business_address_line1": "2 Cobol Street",
    "business_address_city": "Arlington",
    "business_address_state": "VA",
    "business_address_postal_code": "22201",
}
RIGHT = {
    **ADDRESS,
    "business_name": "Analytical Engines LLC",
    "business_type": "MMLLC",
    "ein": "12-3456789",
    "incorporation_state": "DE",
    "naics_code": "541511",
    "ownership_percent": "60",
    "mailing": "SAME",
}
BOX = {"line1": "PO Box 12", "city": "Arlington", "state": "VA", "postal_code": "22201"}
MAILING = {f"mailing_address_{name}": value for name, value in BOX.items()}
QUESTIONS = [
    {"question": "Expected monthly volume?", "question_id": "q1"},
    {"question": "Source of funds?", "answer": "Sales"},
]


def text(response):
    return response.content.decode()


def test_a_right_form_leads_on_to_the_owners(flow):
    response = flow.fill_in("business", **RIGHT)

    assert (response.status_code, response["Location"]) == (303, flow.path("owners"))
    lead = flow.lead
    assert (lead.business_type, lead.ein, lead.incorporation_state) == ("MMLLC", "123456789", "DE")
    assert lead.business_address == {**BOX, "line1": "2 Cobol Street", "country": "US"}
    assert lead.mailing_address == {}


def test_every_type_is_offered_in_plain_words(flow):
    page = flow.get("business")

    assert len(list(page.context["form"].kinds)) == 8
    assert "You do business alone, under a name that you have registered." in text(page)


def test_the_ein_is_never_sent_back(flow):
    response = flow.fill_in("business", **RIGHT | {"business_name": ""})

    assert flow.lead.ein == "123456789"
    assert "ending in 6789" in text(response)
    assert "12345" not in without_random_values(text(response))
    assert "3456789" not in without_random_values(text(response))


@pytest.mark.parametrize("kind", ["LLC", "MMLLC", "S_CORP", "C_CORP", "GENERAL_PARTNERSHIP", "LLP"])
def test_a_registered_business_has_an_ein_and_a_state(flow, kind):
    blank = {"business_type": kind, "ein": "", "incorporation_state": ""}

    response = flow.fill_in("business", **RIGHT | blank)

    assert set(errors(response)) == {"ein", "incorporation_state"}
    assert (flow.lead.business_type, flow.lead.naics_code) == (kind, "541511")


@pytest.mark.parametrize(
    ("kind", "ein", "stored"), [("SSN", "12-3456789", ""), ("DBA", "12-3456789", "123456789")]
)
def test_a_sole_proprietor_is_asked_for_no_more_than_there_is(flow, kind, ein, stored):
    response = flow.fill_in("business", **RIGHT | {"business_type": kind, "ein": ein})

    assert response.status_code == 303
    assert (flow.lead.ein, flow.lead.incorporation_state) == (stored, "")


def test_the_date_of_formation_is_kept_and_may_be_left_out(flow):
    flow.fill_in("business", **RIGHT | {"incorporation_date": "2019-05-01"})
    assert flow.lead.incorporation_date == date(2019, 5, 1)

    flow.fill_in("business", **RIGHT | {"incorporation_date": ""})
    assert flow.lead.incorporation_date is None


def test_a_sole_proprietor_needs_no_ein(flow):
    blank = {"ein": "nonsense", "incorporation_state": ""}

    assert flow.fill_in("business", **RIGHT | blank | {"business_type": "SSN"}).status_code == 303


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("business_type", "BANK"),
        ("naics_code", "7"),
        ("duns", "12"),
        ("incorporation_date", "2999-01-01"),
        ("ein", "07-0000000"),
        ("mailing", ""),
        ("business_address_city", ""),
        ("business_address_postal_code", "1"),
        ("business_address_country", "XX"),
    ],
)
def test_what_is_wrong_is_told_and_the_rest_is_saved(flow, name, value):
    response = flow.fill_in("business", **RIGHT | {name: value})

    assert response.status_code == 200
    assert set(errors(response)) == {name}
    assert flow.lead.business_name == "Analytical Engines LLC"
    assert flow.lead.mailing_address == {}


def test_mail_may_go_to_another_address(flow):
    response = flow.fill_in("business", **RIGHT | MAILING | {"mailing": "OTHER"})

    assert response.status_code == 303
    assert flow.lead.mailing_address == {**BOX, "country": "US"}
    assert flow.get("business").context["form"]["mailing"].value() == "OTHER"


def test_another_address_is_a_whole_one(flow):
    response = flow.fill_in("business", **RIGHT | {"mailing": "OTHER"})

    assert set(errors(response)) == set(MAILING)
    assert flow.lead.mailing_address == {}


def test_mail_to_the_business_address_clears_the_other(flow):
    Lead.objects.update(mailing_address=BOX)

    response = flow.fill_in("business", **RIGHT | {"mailing_address_postal_code": "wrong"})

    assert response.status_code == 303
    assert flow.lead.mailing_address == {}


def test_open_questions_are_asked(flow):
    Lead.objects.update(edd_answers=QUESTIONS)
    page = flow.get("business")

    response = flow.fill_in("business", **RIGHT)

    assert "Expected monthly volume?" in text(page)
    assert ">\nSales</textarea>" in text(page)
    assert set(errors(response)) == {"edd_answers_0"}


def test_an_answer_stands_with_its_question(flow):
    Lead.objects.update(edd_answers=QUESTIONS)

    response = flow.fill_in("business", **RIGHT, edd_answers_0="50000\r\nor more")

    assert response.status_code == 303
    assert flow.lead.edd_answers == [{**QUESTIONS[0], "answer": "50000\nor more"}, QUESTIONS[1]]
    assert "edd_answers" in flow.lead.supplied_by


def test_answers_of_two_tabs_are_both_kept(flow):
    Lead.objects.update(edd_answers=QUESTIONS)
    seen = flow.get("business").context["form"]["seen_marks"].value()
    flow.fill_in("business", **RIGHT, edd_answers_0="50000")

    mine = {"edd_answers_0": "", "edd_answers_1": "Savings", "seen_marks": seen}
    flow.post("business", {**RIGHT, **mine})

    assert [one["answer"] for one in flow.lead.edd_answers] == ["50000", "Savings"]


def test_a_conflict_about_a_question_that_was_removed_is_not_told(flow):
    Lead.objects.update(edd_answers=QUESTIONS)
    seen = flow.get("business").context["form"]["seen_marks"].value()
    flow.fill_in("business", **RIGHT, edd_answers_0="50000")
    mine = {"edd_answers_0": "70000", "edd_answers_1": "Savings", "seen_marks": seen}
    faults = errors(flow.post("business", {**RIGHT, **mine}))
    Lead.objects.update(edd_answers=[])

    response = flow.get("business")

    assert set(faults) == {"edd_answers_0"}
    assert errors(response) == {}


def test_conflicts_are_told_in_the_words_of_the_page(flow):
    flow.fill_in("business", **RIGHT)
    seen = flow.get("business").context["form"]["seen_marks"].value()
    flow.fill_in("business", business_type="S_CORP", business_address_line1="3 Ada Way")

    mine = {"business_type": "C_CORP", "business_address_line1": "4 Ada Way", "seen_marks": seen}
    response = flow.post("business", {**RIGHT, **mine})

    assert "“S corporation”" in errors(response)["business_type"]
    assert "“3 Ada Way”" in errors(response)["business_address_line1"]
    assert flow.lead.business_type == "S_CORP"


def test_plain_words_find_industries_of_which_one_is_chosen(flow):
    """Without a script: Search saves the rest, and answers with the industries."""
    searched = flow.fill_in("business", **RIGHT | {"naics_code": "bakery", "then": "search"})

    assert "Retail Bakeries" in text(searched)
    assert errors(searched) == {}
    assert flow.lead.business_name == "Analytical Engines LLC"
    chosen = flow.fill_in("business", industry_pick="311811")
    assert chosen.status_code == 303
    assert flow.lead.naics_code == "311811"
    assert "Retail Bakeries" in text(flow.get("business"))
    assert "311811 Retail Bakeries" in text(flow.get("review"))


@pytest.mark.parametrize("then", ["es", "en"])
def test_a_switch_of_language_after_a_search_is_no_error(flow, then):
    flow.fill_in("business", **RIGHT | {"naics_code": "bakery", "then": "search"})

    switched = flow.fill_in("business", then=then)

    assert errors(switched) == {}
    assert 'value="311811"' in text(switched)


WHY_ENGLISH = "Los nombres oficiales de los sectores están en inglés"


def test_english_names_of_industries_are_marked_and_explained_to_readers_of_spanish(flow):
    flow.fill_in("business", naics_code="telescope", then="es")
    found = text(flow.get("business"))
    flow.fill_in("business", naics_code="333310")
    shown = text(flow.get("business"))
    flow.fill_in("business", naics_code="311811")

    title = "Commercial and Service Industry Machinery Manufacturing"
    assert WHY_ENGLISH in found
    assert f'<span lang="en">{title}' in found
    assert f'<p class="found" lang="en">{title}' in shown
    assert WHY_ENGLISH in shown
    assert WHY_ENGLISH not in text(flow.get("business"))  # bakeries have a Spanish name
    flow.fill_in("business", naics_code="333310", then="en")
    english = text(flow.get("business"))
    assert title in english
    assert 'lang="en">Commercial' not in english
    assert "official names" not in english


@pytest.mark.parametrize("then", ["back", "search"])
def test_the_page_has_no_error_on_coming_back_after_a_search(flow, then):
    flow.fill_in("business", **RIGHT | {"naics_code": "bakery", "then": "search"})
    flow.fill_in("business", then=then)

    again = flow.get("business")

    assert errors(again) == {}
    assert "<title>Error" not in text(again)
    assert 'value="311811"' in text(again)


@pytest.mark.parametrize(
    ("words", "told"), [("zzzzz", "We found no industry"), ("999999", "There is no NAICS code")]
)
def test_a_search_that_finds_nothing_says_so(flow, words, told):
    searched = flow.fill_in("business", **RIGHT | {"naics_code": words, "then": "search"})

    assert told in errors(searched)["naics_code"]


def test_words_that_were_typed_and_not_sent_are_no_error(flow):
    flow.client.patch(flow.path("business"), "naics_code=bakery")

    assert errors(flow.get("business")) == {}


def test_the_fields_of_a_mailing_address_are_there_once_it_is_chosen(flow):
    """Without a script: the button saves the rest, and answers with the fields."""
    before = text(flow.get("business"))
    shown = flow.fill_in("business", **RIGHT | {"mailing": "OTHER", "then": "mailing"})

    assert "mailing_address_line1" not in before
    assert 'name="then" value="mailing"' in before
    assert 'name="mailing_address_line1"' in text(shown)
    assert errors(shown) == {}
    assert flow.lead.business_name == "Analytical Engines LLC"
    saved = flow.fill_in("business", mailing="OTHER", **MAILING)
    assert saved.status_code == 303
    assert 'name="mailing_address_line1"' in text(flow.get("business"))


@pytest.mark.parametrize(
    ("typed", "state"),
    [("ny", "NY"), ("New York", "NY"), ("nueva york", "NY"), ("Washington, D.C.", "DC")],
)
def test_a_state_is_typed_by_its_letters_or_its_name(flow, typed, state):
    flow.fill_in("business", **RIGHT | {"incorporation_state": typed})

    assert flow.lead.incorporation_state == state


def test_no_state_is_told(flow):
    response = flow.fill_in("business", **RIGHT | {"incorporation_state": "Bavaria"})

    assert "like California or CA" in errors(response)["incorporation_state"]


def test_words_without_a_choice_are_asked_about(flow):
    response = flow.fill_in("business", **RIGHT | {"naics_code": "bakery"})

    assert errors(response) == {"naics_code": "Choose the industry below that fits best."}
    assert 'value="311811"' in text(response)
    assert response.context["form"]["naics_code"].value() == "bakery"


def test_only_an_industry_that_was_found_can_be_chosen(flow):
    response = flow.fill_in(
        "business", **RIGHT | {"naics_code": "bakery", "industry_pick": "541110"}
    )

    assert set(errors(response)) == {"naics_code"}
    assert flow.lead.naics_code == ""


def test_words_that_find_nothing_are_told(flow):
    response = flow.fill_in("business", **RIGHT | {"naics_code": "xyzzy"})

    assert "found no industry" in errors(response)["naics_code"]


def test_a_code_that_does_not_exist_is_told(flow):
    response = flow.fill_in("business", **RIGHT | {"naics_code": "999999"})

    assert errors(response)["naics_code"].startswith("There is no NAICS code 999999.")


@pytest.mark.parametrize(
    "answer", [{"naics_code": "713210"}, {"naics_code": "casino", "industry_pick": "713210"}]
)
def test_an_industry_that_the_bank_refuses_is_told_at_the_field(flow, answer):
    response = flow.fill_in("business", **RIGHT | answer)

    assert "does not open accounts for this industry: Casinos" in errors(response)["naics_code"]
    assert flow.lead.naics_code == ""


def test_a_refused_industry_is_marked_in_the_list(flow):
    searched = flow.fill_in("business", naics_code="casino", then="search")

    assert text(searched).count("does not open accounts for this industry.") >= 2


def test_shares_of_more_than_everything_are_told_and_the_rest_is_saved(flow, make_owner):
    make_owner(flow.lead, ownership_percent=Decimal(70))

    response = flow.fill_in("business", **RIGHT)

    assert "more than 100%" in errors(response)["ownership_percent"]
    assert response.context["shares"].shown == "130%"
    assert (flow.lead.ownership_percent, flow.lead.naics_code) == (None, "541511")


@pytest.mark.parametrize("kind", ["SSN", "DBA"])
def test_a_sole_proprietor_owns_everything_and_is_not_asked_for_owners_or_documents(flow, kind):
    blank = {"business_type": kind, "ownership_percent": "", "title": ""}

    response = flow.fill_in("business", **RIGHT | blank)

    assert response["Location"] == flow.path("review")
    assert flow.lead.ownership_percent == 100
    assert "Owners" not in [str(one.step.label) for one in flow.get("business").context["progress"]]
    assert flow.get("review").context["back_url"] == flow.path("business")
    assert 'id="owners"' not in text(flow.get("review"))


def test_a_sole_proprietor_does_business_in_their_own_name(flow):
    Lead.objects.update(last_name="Example")

    flow.fill_in("business", **RIGHT | {"business_type": "SSN", "business_name": ""})

    assert flow.lead.business_name == "Ada Example"


def test_a_sole_proprietor_has_no_other_owners(flow, make_owner):
    make_owner(flow.lead, ownership_percent=Decimal(60))

    response = flow.fill_in("business", **RIGHT | {"business_type": "DBA"})

    assert "only owner" in errors(response)["business_type"]


def test_a_type_that_contradicts_the_owners_can_be_confirmed(flow, make_owner):
    make_owner(flow.lead, ownership_percent=Decimal(30))
    one = RIGHT | {"business_type": "LLC"}

    response = flow.fill_in("business", **one)

    assert "LLC with one owner" in errors(response)["business_type"]
    assert 'name="sure" value="business_type=LLC 1"' in text(response)
    assert flow.fill_in("business", **one, sure="business_type=LLC 1").status_code == 303


def test_a_business_of_several_is_not_owned_by_one(flow):
    response = flow.fill_in("business", **RIGHT | {"ownership_percent": "100"})

    assert set(errors(response)) == {"ownership_percent"}


class TestAtHome:
    """The business is where the applicant lives."""

    HOME = {
        "line1": "1 Way",
        "city": "New York",
        "state": "NY",
        "postal_code": "10001",
        "country": "",
    }

    def test_the_home_address_is_not_typed_again(self, flow):
        Lead.objects.update(**self.HOME)
        blank = dict.fromkeys(ADDRESS, "") | {"premises": "HOME"}

        response = flow.fill_in("business", **RIGHT | blank)

        assert response.status_code == 303
        assert flow.lead.business_address == self.HOME | {"country": "US"}
        assert flow.get("business").context["form"]["premises"].value() == "HOME"

    def test_a_choice_or_an_address_is_needed(self, flow):
        Lead.objects.update(**self.HOME)
        blank = dict.fromkeys(ADDRESS, "")

        response = flow.fill_in("business", **RIGHT | blank)

        assert errors(response) == {"premises": "Choose where the business is."}
        assert flow.fill_in("business", **RIGHT).status_code == 303

    def test_a_home_that_is_a_po_box_is_told(self, flow):
        Lead.objects.update(**self.HOME | {"line1": "PO Box 12"})

        response = flow.fill_in("business", **RIGHT | {"premises": "HOME"})

        assert "street address" in errors(response)["premises"]

    def test_without_a_home_nobody_is_asked(self, flow):
        assert "premises" not in flow.get("business").context["form"].fields


@pytest.mark.parametrize(("duns", "is_open"), [("", False), ("123456789", True)])
def test_optional_values_are_under_a_summary_which_is_open_if_one_is_stored(flow, duns, is_open):
    Lead.objects.update(duns=duns)

    page = text(flow.get("business"))

    under = page[page.index("<details") : page.index("</details>")]
    assert 'name="duns"' in under
    assert under.startswith("<details open>") is is_open


def test_an_optional_value_of_the_business_needs_no_place_in_the_template(flow, monkeypatch):
    further = ["duns", "campaign"]  # a column that is no field of the form otherwise
    declared = LeadField("campaign", label="Campaign", is_required=False)
    monkeypatch.setattr(business_form, "BUSINESS", [*business_form.BUSINESS, declared])
    monkeypatch.setattr(
        business_form.BusinessForm,
        "lead_fields",
        (*business_form.BusinessForm.lead_fields, declared),
    )

    page = text(flow.get("business"))

    under = page[page.index("<details") : page.index("</details>")]
    assert [name for name in further if f'name="{name}"' in under] == further
