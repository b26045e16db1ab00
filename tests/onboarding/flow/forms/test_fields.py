"""Fields that check as the API does, and explain as to a person."""

from decimal import Decimal

import pytest
from django import forms

from onboarding.flow.forms.declared import form_field
from onboarding.flow.forms.fields import (
    Checked,
    OneOf,
    PersonalNumberField,
    Share,
    phone_number,
)
from onboarding.lead_fields import PERSON


class Form(forms.Form):
    number = PersonalNumberField(label="Number")
    share = Share()
    choice = forms.ChoiceField(choices=[("A", "a"), ("B", "b")], widget=OneOf)


@pytest.mark.parametrize(
    ("typed", "share"),
    [("25", "25"), ("33.3", "33.3"), ("33,3", "33.3"), (" 12.5 % ", "12.5"), ("0", "0")],
)
def test_a_share_is_written_in_many_ways(typed, share):
    assert Share().clean(typed) == Decimal(share)


@pytest.mark.parametrize("typed", ["-1", "100.1", "half", "NaN", "1e9", "1,000.5"])
def test_a_share_is_a_part_of_the_whole(typed):
    with pytest.raises(forms.ValidationError):
        Share().clean(typed)


def test_a_share_is_shown_without_empty_decimals():
    shown = [Share().prepare_value(Decimal(share)) for share in ("30.5000", "100.0000", "0")]

    assert shown == ["30.5", "100", "0"]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("\u202aAda\u202c", "Ada"),
        ("A\u200bda\x07", "Ada"),
        ("one\r\ntwo", "one\r\ntwo"),
        ("Zoë 株式会社", "Zoë 株式会社"),
    ],
)
def test_nobody_types_what_cannot_be_seen(typed, kept):
    assert Checked().clean(typed) == kept


@pytest.mark.parametrize("typed", ["\u202e\u200b", " \u2060 "])
def test_a_name_is_more_than_hidden_signs(typed):
    with pytest.raises(forms.ValidationError, match="fill this in"):
        Checked().clean(typed)


def test_a_personal_number_is_not_shown_again():
    form = Form({"number": "X12345678"})

    assert "X12345678" not in str(form["number"])
    assert 'autocomplete="off"' in str(form["number"])


def test_what_leads_to_radio_buttons_leads_to_the_first():
    assert Form()["choice"].id_for_label == "id_choice_0"


@pytest.mark.parametrize("typed", ["202-555-0123", "(202) 555 0123", "+1 202-555-0123"])
def test_a_phone_number_needs_no_country_code_at_home(typed):
    assert phone_number(typed) == "+12025550123"


@pytest.mark.parametrize("typed", ["", "yesterday", "2999-01-01", "2026-02-30"])
def test_a_birth_date_is_one_of_an_adult(typed):
    [birth_date] = [declared for declared in PERSON if declared.name == "birth_date"]

    with pytest.raises(forms.ValidationError):
        form_field(birth_date).clean(typed)
