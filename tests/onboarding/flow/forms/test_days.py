"""Dates in three inputs."""

from datetime import date, timedelta

import pytest
from django import forms
from django.http import QueryDict
from django.utils import timezone

from onboarding.flow.forms.days import BirthDay, Day
from onboarding.validators import iso_date


class Form(forms.Form):
    born = BirthDay(required=False)
    day = Day(check=iso_date, required=False)


def typed(*parts, name="day"):
    data = QueryDict(mutable=True)
    data.setlist(name, parts)
    return Form(data)


@pytest.mark.parametrize(
    "parts", [("3", "7", "1980"), (" 03", "07 ", "1980"), ("Mar", "7", "1980"), ("1980-03-07",)]
)
def test_a_date_is_written_in_many_ways(parts):
    form = typed(*parts)

    assert form.is_valid()
    assert form.cleaned_data["day"] == date(1980, 3, 7)


def test_blank_inputs_are_no_date():
    form = typed("", " ", "")

    assert form.is_valid()
    assert form.cleaned_data["day"] is None


@pytest.mark.parametrize(
    "parts", [("2", "30", "1980"), ("", "7", "1980"), ("3", "7", "80"), ("27", "3", "1980"), ("x",)]
)
def test_what_is_no_date_is_shown_again(parts):
    form = typed(*parts)

    assert form.errors["day"] == ["Enter a real date, like 3/27/1980."]
    page = str(form["day"])
    assert all(f'value="{part}"' in page for part in parts if part)


def test_a_stored_date_is_shown_in_its_parts():
    page = str(Form(initial={"day": date(1980, 3, 7)})["day"])

    assert page.count('name="day"') == 3
    assert [f'value="{part}"' in page for part in ("3", "7", "1980")] == [True] * 3
    assert 'for="id_day_year"' in page


@pytest.mark.parametrize(
    ("days_ago", "words"),
    [(-1, "in the future"), (130 * 365, "more than 120 years"), (17 * 365, "at least 18")],
)
def test_a_birth_date_says_what_is_wrong_with_it(days_ago, words):
    born = timezone.localdate() - timedelta(days=days_ago)

    form = typed(str(born.month), str(born.day), str(born.year), name="born")

    assert words in form.errors["born"][0]
