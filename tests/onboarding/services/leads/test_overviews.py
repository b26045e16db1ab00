"""What the review says of people and of the business."""

from decimal import Decimal

import pytest

from onboarding.models import Lead, Owner
from onboarding.services.leads import overviews

ABROAD = {"line1": "1 High Street", "city": "London", "postal_code": "SW1A 1AA", "country": "GB"}
AT_HOME = {"line1": "1 Main St", "line2": "Suite 4", "city": "New York", "state": "NY"}


def shown(lines):
    return {str(line.label): str(line.value) for line in lines}


def test_what_is_empty_is_not_shown():
    assert overviews.about_person(Owner()) == overviews.about_business(Lead()) == []


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (ABROAD, "1 High Street, London, SW1A 1AA, United Kingdom"),
        (AT_HOME, "1 Main St, Suite 4, New York, NY"),
        (
            {**AT_HOME, "postal_code": "10001", "country": "US"},
            "1 Main St, Suite 4, New York, NY 10001",
        ),
    ],
)
def test_an_address_is_one_line_that_names_the_country_if_it_is_abroad(address, words):
    of_owner = shown(overviews.about_person(Owner(address=address)))
    of_business = shown(overviews.about_business(Lead(business_address=address)))

    assert of_owner == {"Home address": words}
    assert of_business == {"Business address": words}


@pytest.mark.parametrize(
    ("number", "words"), [("123456789", "ending in 6789"), ("X1234", "on file")]
)
def test_a_number_shows_its_end_unless_that_is_half_of_it(number, words):
    assert shown(overviews.about_person(Owner(passport_number=number))) == {
        "Passport number": words
    }


def test_answers_stand_beside_their_questions():
    answers = [{"question": "Source of funds?", "answer": "Sales"}, {"question": "Volume?"}]

    assert shown(overviews.about_business(Lead(edd_answers=answers))) == {
        "Source of funds?": "Sales"
    }


def test_a_share_of_nothing_is_shown():
    assert overviews.share_of(Owner(ownership_percent=None)) == ""
    assert shown(overviews.about_person(Owner(ownership_percent=Decimal(0))))[
        "Share of the business"
    ]
