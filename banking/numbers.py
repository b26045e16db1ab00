"""Numbers that carry their own check: routing numbers, account numbers, IBANs, BICs."""

from django.core.exceptions import ValidationError
from stdnum import bic, iban, luhn
from stdnum.exceptions import ValidationError as InvalidNumber
from stdnum.us import rtn

ACCOUNT_NUMBER_DIGITS = 12


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
    """Return an account number: eleven digits and the check digit that follows from them."""
    return digits + luhn.calc_check_digit(digits)


def _check(kind: object, value: str, name: str) -> None:
    try:
        compact = kind.validate(value)  # type: ignore[attr-defined]  # a module of python-stdnum
    except InvalidNumber:
        raise ValidationError(f"This is no {name}.") from None
    if compact != value:
        raise ValidationError(f"Write the {name} without spaces, in capitals.")
