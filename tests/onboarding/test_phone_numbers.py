import pytest

from onboarding.phone_numbers import in_groups


@pytest.mark.parametrize(
    ("number", "shown"),
    [("+12025550123", "+1 202-555-0123"), ("+442079460123", "+44 20 7946 0123"), ("", "")],
)
def test_a_phone_number_is_shown_in_groups(number, shown):
    assert in_groups(number) == shown
