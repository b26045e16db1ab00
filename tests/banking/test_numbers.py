import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn
from stdnum.us import rtn

from banking import numbers
from tests.factories import make_account


@pytest.mark.parametrize(
    ("validate", "good", "bad"),
    [
        (numbers.validate_routing_number, "110000000", ["110000001", "11000000", "1100 00000", ""]),
        (
            numbers.validate_account_number,
            "100000000008",
            ["100000000009", "10000000008", "x" * 12],
        ),
        (
            numbers.validate_iban,
            "GB29NWBK60161331926819",
            ["GB29NWBK60161331926818", "GB29 NWBK 6016 1331 9268 19", "XX00"],
        ),
        (numbers.validate_bic, "DEUTDEFF", ["DEUT", "deutdeff", "DEUTDEFF1"]),
    ],
)
def test_a_number_is_checked(validate, good, bad):
    validate(good)

    for number in bad:
        with pytest.raises(ValidationError):
            validate(number)


@given(st.text("0123456789", min_size=11, max_size=11))
def test_a_completed_account_number_is_right(digits):
    numbers.validate_account_number(numbers.complete_account_number(digits))


NUMBERS = [f"{number * 7_919_777_131 % 10**12:012d}" for number in range(1, 41)]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_database_checks_account_numbers_as_we_do(db, number):
    if luhn.is_valid(number):
        make_account(account_number=number)
    else:
        with pytest.raises(IntegrityError, match="account_number_has_check_digit"):
            make_account(account_number=number)


@pytest.mark.parametrize("digit", range(10))
@pytest.mark.parametrize("number", ["12312312", "98765432", "00000000", "99999999"])
def test_the_database_checks_routing_numbers_as_we_do(db, number, digit):
    if rtn.is_valid(f"{number}{digit}"):
        make_account(routing_number=f"{number}{digit}")
    else:
        with pytest.raises(IntegrityError, match="account_routing_number_has_check_digit"):
            make_account(routing_number=f"{number}{digit}")
