"""Facts of both sides of a hit, and whether they agree."""

from datetime import date

import pytest

from onboarding.models import Lead, Owner, ScreeningHit
from onboarding.queries.hit_facts import Agreement, compare

REMARKS = (
    "DOB 04 May 1979; alt. DOB circa 1952; POB Tehran, Iran; nationality Iran; "
    "Passport A12345678 (Iran); National ID No. 001-234 (Iran)."
)


def facts(party, remarks=REMARKS, **values):
    values = {"matched": "BENSEN, Clara", "entry_name": "BENSEN, Clara", "score": 100, **values}
    hit = ScreeningHit(subject="PERSON", entry={"remarks": remarks, "addresses": []}, **values)
    return {fact.label: fact for fact in compare(hit, party)}


@pytest.mark.parametrize(
    ("born", "mark"),
    [
        (date(1979, 5, 4), Agreement.SAME),
        (date(1979, 6, 4), Agreement.CLOSE),
        (date(1952, 1, 1), Agreement.CLOSE),
        (date(1980, 5, 4), Agreement.DIFFERENT),
        (None, Agreement.UNKNOWN),
    ],
)
def test_birth_dates_are_compared_by_day_and_year(born, mark):
    assert facts(Owner(birth_date=born))["Born"].mark == mark


def test_a_range_of_years_and_a_day_that_there_is_not_are_read():
    born = facts(Owner(birth_date=date(1963, 1, 1)), "DOB 1962 to 1964; alt. DOB 31 Jun 1950.")

    assert (born["Born"].theirs, born["Born"].mark) == (
        "1962 to 1964; 1950",
        Agreement.CLOSE,
    )


@pytest.mark.parametrize(
    ("country", "mark"),
    [("IR", Agreement.SAME), ("US", Agreement.DIFFERENT), ("", Agreement.UNKNOWN)],
)
def test_countries_are_compared_by_their_codes(country, mark):
    fact = facts(Owner(id_country=country))["Country"]

    assert (fact.theirs, fact.mark) == ("Iran", mark)


def test_numbers_of_the_customer_are_masked_and_those_of_the_list_are_not():
    fact = facts(Owner(passport_number="a 12345678"))["Numbers"]

    assert (fact.ours, fact.mark) == ("••••5678", Agreement.SAME)
    assert fact.theirs == "Passport A12345678 (Iran); National ID No. 001-234 (Iran)"


def test_an_alias_names_the_entry():
    name = facts(Owner(first_name="Klara", last_name="Bensen"), matched="KLARA", score=90)["Name"]

    assert (name.theirs, name.mark) == ("KLARA, an alias of BENSEN, Clara", Agreement.CLOSE)


def test_a_name_that_is_no_longer_alike_differs():
    assert facts(Owner(first_name="Miller"), score=0)["Name"].mark == Agreement.DIFFERENT


def test_a_business_has_no_birth_date():
    lead = Lead(business_name="Quillon", business_address={"country": "CU"}, ein="123456789")
    hit = ScreeningHit(
        subject="BUSINESS",
        matched="QUILLON",
        entry_name="QUILLON",
        score=100,
        entry={"remarks": "", "addresses": ["1 Example Road, Havana, Cuba"]},
    )

    found = {fact.label: (fact.ours, fact.mark) for fact in compare(hit, lead)}

    assert found == {
        "Name": ("Quillon", Agreement.SAME),
        "Country": ("Cuba", Agreement.SAME),
        "Numbers": ("••••6789", Agreement.UNKNOWN),
    }
