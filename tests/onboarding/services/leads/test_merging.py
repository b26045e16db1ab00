"""Merging: what changes, what is kept, and who supplied it."""

from datetime import date
from decimal import Decimal

import pytest

from onboarding.choices import Supplier
from onboarding.models import Lead, Owner
from onboarding.services.leads.merging import (
    columns_of,
    list_kept,
    merge_edd_answers,
    merge_into,
)

BY_APPLICANT = [Supplier.APPLICANT]
PARTNER, APPLICANT, REVIEWER = Supplier.PARTNER, Supplier.APPLICANT, Supplier.REVIEWER


def test_sent_values_are_set_and_their_names_returned():
    lead = Lead(first_name="Ada", city="Paris")

    changed = merge_into(lead, {"first_name": "Eve", "last_name": "Example"}, by=PARTNER)

    assert changed == {"first_name", "last_name"}
    assert (lead.first_name, lead.last_name, lead.city) == ("Eve", "Example", "Paris")


def test_the_same_value_is_no_change():
    lead = Lead(
        first_name="Ada", ssn="123456789", birth_date=date(1985, 12, 10), metadata={"a": "b"},
        ownership_percent=Decimal("40.0000"), business_address={"city": "Reston"},
        edd_answers=[{"question": "Why?", "answer": "So"}],
    )  # fmt: skip

    sent = {
        "first_name": "Ada", "ssn": "123456789", "birth_date": date(1985, 12, 10),
        "ownership_percent": Decimal(40), "metadata": {"a": "b"}, "business_address": {},
        "edd_answers": [{"question": "Why?", "answer": "So"}], "last_name": None,
    }  # fmt: skip

    assert merge_into(lead, sent, by=PARTNER) == set()


@pytest.mark.parametrize("by", [PARTNER, APPLICANT])
@pytest.mark.parametrize("sent", ["123456789", "223456789"])
def test_a_number_that_somebody_else_supplied_is_never_compared(by, sent):
    lead = Lead(ssn="123456789", supplied_by={"ssn": "APPLICANT"})

    kept = list_kept(lead, {"ssn": sent}, of=BY_APPLICANT)
    changed = merge_into(lead, {"ssn": sent}, by=by)

    assert (kept, changed, lead.ssn) == ({"ssn"}, {"ssn"}, sent)


@pytest.mark.parametrize("sent", ["123456789", "223456789"])
def test_a_number_of_the_partners_counts_as_changed_where_none_may_be_compared(sent):
    lead = Lead(ssn="123456789")

    assert merge_into(lead, {"ssn": sent}, by=PARTNER, compare_numbers=False) == {"ssn"}


@pytest.mark.parametrize(
    ("name", "stored", "blank"),
    [
        ("first_name", "Ada", ""),
        ("ssn", "123456789", ""),
        ("business_type", "LLC", ""),
        ("birth_date", date(1985, 12, 10), None),
        ("ownership_percent", Decimal(40), None),
        ("is_control_person", True, None),
        ("business_address", {"city": "Reston"}, {}),
        ("metadata", {"a": "b"}, {}),
        ("edd_answers", [{"question": "Why?"}], []),
    ],
)
def test_none_clears_each_kind_of_value(name, stored, blank):
    lead = Lead(**{name: stored})

    changed = merge_into(lead, {name: None}, by=PARTNER)

    assert changed == {name}
    assert getattr(lead, name) == blank


def test_a_cleared_value_is_not_shared_between_leads():
    first, second = Lead(metadata={"a": "b"}), Lead(metadata={"a": "b"})
    merge_into(first, {"metadata": None}, by=PARTNER)
    merge_into(second, {"metadata": None}, by=PARTNER)

    first.metadata["c"] = "d"

    assert second.metadata == {}


@pytest.mark.parametrize("name", ["metadata", "business_address", "mailing_address"])
def test_maps_merge_key_by_key_and_none_removes_a_key(name):
    lead = Lead(**{name: {"city": "Reston", "line2": "Floor 3"}})

    changed = merge_into(lead, {name: {"city": "Arlington", "line2": None, "x": None}}, by=PARTNER)

    assert changed == {name}
    assert getattr(lead, name) == {"city": "Arlington"}


def test_the_map_that_was_stored_is_left_as_it_was():
    stored = {"city": "Reston"}
    owner = Owner(address=stored)

    merge_into(owner, {"address": {"city": "Arlington"}}, by=PARTNER)

    assert stored == {"city": "Reston"}


def test_an_empty_string_in_metadata_is_a_value():
    lead = Lead()

    merge_into(lead, {"metadata": {"tier": ""}}, by=PARTNER)

    assert lead.metadata == {"tier": ""}


@pytest.mark.parametrize("by", [APPLICANT, REVIEWER])
def test_whoever_else_changes_a_value_is_remembered(by):
    lead = Lead(first_name="Ada", city="Paris")

    merge_into(lead, {"first_name": "Eve", "city": "Paris"}, by=by)

    assert lead.supplied_by == {"first_name": by.value}


def test_a_value_that_the_partner_changes_is_the_partners_again():
    lead = Lead(first_name="Eve", city="Boston")
    lead.supplied_by = {"first_name": "APPLICANT", "city": "REVIEWER"}

    merge_into(lead, {"first_name": "Ada"}, by=PARTNER)

    assert lead.supplied_by == {"city": "REVIEWER"}


def test_a_value_that_the_partner_only_repeats_stays_the_applicants():
    lead = Lead(first_name="Eve", supplied_by={"first_name": "APPLICANT"})

    merge_into(lead, {"first_name": "Eve"}, by=PARTNER)

    assert lead.supplied_by == {"first_name": "APPLICANT"}


def test_only_what_the_applicant_set_to_something_else_is_kept():
    lead = Lead(first_name="Eve", last_name="Example", city="Boston", state="MA")
    lead.supplied_by = {
        "first_name": "APPLICANT", "last_name": "APPLICANT", "state": "REVIEWER",
    }  # fmt: skip

    sent = {"first_name": "Ada", "last_name": "Example", "city": "Reston", "state": "VA"}

    assert list_kept(lead, sent, of=BY_APPLICANT) == {"first_name"}


def test_an_address_that_the_merge_would_not_change_is_not_named_as_kept():
    lead = Lead(business_address={"city": "Boston", "state": "MA"})
    lead.supplied_by = {"business_address": "APPLICANT"}

    assert list_kept(lead, {"business_address": {"state": "MA"}}, of=BY_APPLICANT) == set()
    assert list_kept(lead, {"business_address": {"state": "VA"}}, of=BY_APPLICANT) == {
        "business_address"
    }


def test_who_supplied_it_is_saved_with_what_changed():
    assert columns_of({"ssn", "city"}) == ["city", "corrected", "ssn", "supplied_by"]
    assert columns_of(set()) == ["corrected", "supplied_by"]


def test_answers_match_by_id_or_else_by_question():
    stored = [
        {"question": "How much?", "answer": "1", "question_id": "q1"},
        {"question": "Why?", "answer": "So"},
    ]

    merged = merge_edd_answers(
        stored,
        [
            {"question_id": "q1", "answer": "2"},
            {"question": "Why?", "answer": "Because"},
            {"question": "When?", "answer": None},
        ],
    )

    assert merged == [
        {"question": "How much?", "answer": "2", "question_id": "q1"},
        {"question": "Why?", "answer": "Because"},
        {"question": "When?"},
    ]
    assert stored[0]["answer"] == "1"


def test_the_same_answer_twice_in_a_request_is_one():
    sent = [{"question": "Why?", "answer": "A"}, {"question": "Why?", "answer": "B"}]

    assert merge_edd_answers([], sent) == [{"question": "Why?", "answer": "B"}]


def test_a_partners_value_that_the_applicant_changes_is_corrected():
    lead = Lead(first_name="Eve", city="")

    merge_into(lead, {"first_name": "Ada", "city": "Paris"}, by=Supplier.APPLICANT)

    assert lead.supplied_by == {"first_name": "APPLICANT", "city": "APPLICANT"}
    assert lead.corrected == ["first_name"]


def test_what_the_partner_supplies_anew_is_not_corrected_any_more():
    lead = Lead(first_name="Eve")
    merge_into(lead, {"first_name": "Ada"}, by=Supplier.APPLICANT)

    merge_into(lead, {"first_name": "Bea"}, by=Supplier.PARTNER)

    assert (lead.supplied_by, lead.corrected) == ({}, [])


def test_an_applicants_own_value_is_not_corrected_by_a_second_thought():
    lead = Lead()
    merge_into(lead, {"first_name": "Ada"}, by=Supplier.APPLICANT)

    merge_into(lead, {"first_name": "Bea"}, by=Supplier.APPLICANT)

    assert lead.corrected == []
