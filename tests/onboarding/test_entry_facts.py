"""Facts of entries: read from OFAC's remarks, compared with a party, and weighed."""

from datetime import date

import pytest

from onboarding.entry_facts import EntryFacts, ListedNumber, PartyFacts, read_remarks, weigh

BORN = date(1979, 5, 4)


def test_the_remarks_of_ofac_have_births_countries_and_numbers():
    remarks = (
        "DOB 04 May 1979; alt. DOB circa 1952; alt. DOB 1962 to 1964; alt. DOB 31 Jun 1950; "
        "POB Tehran, Iran; nationality Iraq; Passport A12345678 (Iran); National ID No. 001-234."
    )

    facts = read_remarks(remarks, ["1 Example Road, Havana, Cuba"])

    assert facts == EntryFacts(
        ("1979-05-04", "~1952", "1962/1964", "1950"),
        ("IR", "IQ", "CU"),
        (ListedNumber("Passport", "A12345678", "IR"), ListedNumber("National ID No.", "001-234")),
    )
    assert EntryFacts.of(facts.as_json()) == facts


@pytest.mark.parametrize(
    ("births", "score", "reasons"),
    [
        (("1979-05-04",), 94, ["BORN_SAME"]),
        (("1979",), 92, ["YEAR_SAME"]),
        (("1979-01-01", "1952"), 92, ["YEAR_SAME"]),
        (("1980-05-04",), 90, []),
        (("1952",), 86, ["BORN_DIFFERS"]),
        (("1952", "1970/1981"), 92, ["YEAR_SAME"]),
        ((), 90, []),
    ],
)
def test_birth_dates_raise_or_lower_a_score(births, score, reasons):
    found, said = weigh(90, PartyFacts(BORN), EntryFacts(births))

    assert (found, [one["reason"] for one in said]) == (score, reasons)


def test_a_date_that_the_party_lacks_changes_nothing():
    assert weigh(90, PartyFacts(), EntryFacts(("1952",))) == (90, [])


def test_a_whole_name_stays_a_hit_in_spite_of_another_year():
    assert weigh(100, PartyFacts(BORN), EntryFacts(("1952",)))[0] > 88


def test_a_country_in_common_raises_a_score_a_little():
    ours = PartyFacts(countries=frozenset(["IR"]))

    assert weigh(90, ours, EntryFacts(countries=("IR", "SY")))[0] == 91
    assert weigh(90, ours, EntryFacts(countries=("SY",)))[0] == 90


@pytest.mark.parametrize(
    ("country", "score"), [("IR", 100), ("", 100), ("US", 90)], ids=["same", "unknown", "other"]
)
def test_the_same_number_of_the_same_country_is_all_of_a_hundred(country, score):
    ours = PartyFacts(numbers=(("A12345678", country),))
    theirs = EntryFacts(numbers=(ListedNumber("Passport", "A-1234 5678", "IR"),))

    assert weigh(90, ours, theirs)[0] == score


def test_reasons_repeat_no_value_of_the_party():
    ours = PartyFacts(BORN, frozenset(["IR"]), (("A12345678", ""),))
    theirs = EntryFacts(("1952",), ("IR",), (ListedNumber("Passport", "A12345678"),))

    _, reasons = weigh(90, ours, theirs)

    assert not any("12345678" in str(one) or "1979" in str(one) for one in reasons)
