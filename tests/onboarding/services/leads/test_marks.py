"""Marks: they tell which values a page showed, and none of the values."""

from decimal import Decimal

import pytest
from django.core import signing

from onboarding.flow.forms.addresses import PARTS
from onboarding.models import Lead, Owner
from onboarding.services.leads import marks
from onboarding.services.leads.form_drafts import Draft

NAMES = ["first_name", "ssn", "city", "business_address.city", "ownership_percent"]


@pytest.fixture
def lead(make_lead):
    return make_lead(
        first_name="Ada",
        ssn="123456789",
        city="",
        business_address={"line1": "1 Way", "city": "Paris"},
        ownership_percent=Decimal(40),
    )


def keys(*names):
    return {*map(marks.key_of, names)}


def test_no_two_values_share_a_key():
    parts = [f"{outer}.{part}" for outer in marks.NESTED[:-1] for part in PARTS]
    parts += [f"edd_answers.{position}" for position in range(100)]
    names = [field.name for model in (Lead, Owner) for field in model._meta.fields]

    assert len(keys(*parts, *names)) == len({*parts, *names})
    assert not any(map(marks.KEY.fullmatch, names))


def test_pages_of_the_release_before_have_the_same_marks(lead):
    old = {name: marks.mark(lead, marks.value_of(lead, name)) for name in NAMES if name != "ssn"}

    page = signing.dumps(old, salt=marks.SALT, compress=True)

    assert marks.read(page) == marks.read(marks.remember(lead, NAMES))


def test_marks_tell_no_value(lead):
    for value in ("Ada", "123456789", "Paris"):
        assert value not in marks.remember(lead, NAMES)


def test_marks_do_not_tell_that_two_people_have_the_same_value(lead, make_lead):
    other = make_lead(first_name="Ada", ssn="123456789", city="")

    own, others = (marks.read(marks.remember(one, NAMES)) for one in (lead, other))

    assert {key for key in own if own[key] == others[key]} == keys("city")  # which is empty


def test_personal_numbers_have_no_mark(lead):
    assert set(marks.read(marks.remember(lead, NAMES))) == keys(*NAMES) - keys("ssn")


def test_marks_that_were_changed_on_the_way_are_none(lead):
    assert marks.read(f"{marks.remember(lead, NAMES)}x") == {}


def test_each_field_keeps_the_mark_of_the_page_on_which_it_was_typed(lead):
    names = ["first_name", "business_address.city"]
    old = marks.remember(lead, names)
    lead.first_name, lead.business_address = "Bea", {"city": "Chicago"}
    new = marks.remember(lead, names)

    typed, later = (
        Draft({"business_address_city": ["Rome"]}, seen=old),
        Draft({"first_name": ["X"]}, seen=new),
    )

    assert marks.read(typed.joined(later).seen) == {
        name: marks.read(page)[name]
        for name, page in zip(map(marks.key_of, names), [new, old], strict=True)
    }
