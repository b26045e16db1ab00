"""Validation of routing numbers, account numbers, IBANs and BICs, in Python and in SQL."""

from functools import reduce
from operator import add

from django.core.exceptions import ValidationError
from django.db.models import IntegerField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Substr
from django.db.models.lookups import Exact
from stdnum import bic, iban, luhn
from stdnum.exceptions import ValidationError as InvalidNumber
from stdnum.us import rtn

ACCOUNT_NUMBER_DIGITS = 12
ROUTING_NUMBER_WEIGHTS = (3, 7, 1, 3, 7, 1, 3, 7, 1)  # ABA: the weighted sum ends in 0


def validate_routing_number(value: str) -> None:
    """Check nine digits with the ABA's check digit. Raises: ValidationError."""
    _check(rtn, value, "routing number")


def validate_account_number(value: str) -> None:
    """Check an account number of this bank: twelve digits, the last by Luhn.

    Raises: ValidationError.
    """
    if len(value) != ACCOUNT_NUMBER_DIGITS:
        raise ValidationError("An account number has twelve digits.")
    _check(luhn, value, "account number")


def validate_iban(value: str) -> None:
    """Check an IBAN, its country's length and shape too. Raises: ValidationError."""
    _check(iban, value, "IBAN")


def validate_bic(value: str) -> None:
    """Check the shape of a SWIFT code. Raises: ValidationError."""
    _check(bic, value, "SWIFT code")


def complete_account_number(digits: str) -> str:
    """Return the account number that eleven digits begin: add the check digit by Luhn."""
    return digits + luhn.calc_check_digit(digits)


def has_routing_number(column: str) -> Exact:
    """Return the condition that a column of nine digits has the ABA's check digit."""
    weighted = (
        weight * _digit(column, place) for place, weight in enumerate(ROUTING_NUMBER_WEIGHTS, 1)
    )
    return Exact(reduce(add, weighted) % 10, 0)


def has_account_number(column: str) -> Exact:
    """Return the condition that a column of twelve digits has Luhn's check digit.

    Every second digit from the right counts twice, as the sum of the digits of its double.
    """
    plain = (_digit(column, place) for place in range(2, ACCOUNT_NUMBER_DIGITS + 1, 2))
    double = (2 * _digit(column, place) for place in range(1, ACCOUNT_NUMBER_DIGITS, 2))
    folded = (digit - 9 * (digit / 10) for digit in double)  # whole numbers: 0 or 1
    return Exact(reduce(add, [*plain, *folded]) % 10, 0)


def _digit(column: str, place: int) -> Combinable:
    return Cast(Substr(column, place, 1), IntegerField())


def _check(kind: object, value: str, name: str) -> None:
    try:
        compact = kind.validate(value)  # type: ignore[attr-defined]  # a module of python-stdnum
    except InvalidNumber:
        raise ValidationError(f"This is no {name}.") from None
    if compact != value:
        raise ValidationError(f"Write the {name} without spaces, in capitals.")
