"""Countries and states."""

from banking.us_states import STATES
from onboarding.geography import COUNTRIES, US_TERRITORIES, ZIP_STATES, may_be_in


def test_every_country_of_iso_3166_is_there():
    assert len(COUNTRIES) == 249
    assert {"US", "GB", "XK", "UK", "EU", "AN", "SS", "CW"} & COUNTRIES.keys() == {
        *("US", "GB", "SS", "CW")
    }


def test_every_state_of_usps_is_there():
    territories = {"AS", "GU", "MP", "PR", "VI"}
    associated, military = {"FM", "MH", "PW"}, {"AA", "AE", "AP"}

    assert len(STATES) == 50 + 1 + 5 + 3 + 3
    assert {"DC", *territories, *associated, *military} < STATES.keys()


def test_codes_are_two_capital_letters_in_a_fixed_order():
    assert all(len(code) == 2 and code.isalpha() and code.isupper() for code in COUNTRIES | STATES)
    assert all(code.isascii() for code in COUNTRIES | STATES)
    assert list(COUNTRIES) == sorted(COUNTRIES)


def test_names_are_short_distinct_and_tidy():
    for names in (COUNTRIES, STATES):
        assert len(set(names.values())) == len(names)
        assert all(name == name.strip() and 4 <= len(name) <= 50 for name in names.values())


def test_a_territory_is_a_country_and_a_state_under_one_code():
    assert set(COUNTRIES) & set(STATES) >= US_TERRITORIES
    assert all(COUNTRIES[code] == STATES[code] for code in US_TERRITORIES)


def test_every_state_has_zip_codes():
    assert frozenset().union(*ZIP_STATES.values()) >= STATES.keys()
    assert may_be_in("10001", "NY")
    assert not may_be_in("90210", "NY")
