"""Money: integer cents inside the program, decimal texts of dollars outside, and rounding."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

CENT = Decimal("0.01")
MINOR_DIGITS = {  # ISO 4217: currencies whose smallest unit is not a hundredth
    **dict.fromkeys(
        ["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI"], 0
    ),
    **dict.fromkeys(["VND", "VUV", "XAF", "XOF", "XPF"], 0),
    **dict.fromkeys(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"], 3),
    **dict.fromkeys(["CLF", "UYW"], 4),
}


class InvalidAmount(ValueError):
    """A value that is no amount in whole cents or, in another currency, in whole smallest units."""


def usd(cents: int) -> str:
    """Return cents as dollars, for example `-1234.50`."""
    sign = "-" if cents < 0 else ""
    dollars, rest = divmod(abs(cents), 100)
    return f"{sign}{dollars}.{rest:02d}"


def usd_text(cents: int) -> str:
    """Return cents as people read dollars, for example `-$1,234.50`."""
    sign = "-" if cents < 0 else ""
    dollars, rest = divmod(abs(cents), 100)
    return f"{sign}${dollars:,}.{rest:02d}"


def cents(dollars: str | Decimal | int) -> int:
    """Return dollars as cents.

    Raises: InvalidAmount for a value that is no number, or has fractions of a cent.
    """
    try:
        amount = Decimal(dollars)
        whole = amount.quantize(CENT)
    except InvalidOperation:
        raise InvalidAmount(f"{dollars} is no amount of dollars") from None
    if whole != amount:
        raise InvalidAmount(f"{dollars} has fractions of a cent")
    return int(whole * 100)


def rounded(amount: Decimal, currency: str) -> Decimal:
    """Round an amount to the minor unit of its currency, a half away from zero."""
    unit = Decimal(1).scaleb(-MINOR_DIGITS.get(currency, 2))
    return amount.quantize(unit, ROUND_HALF_UP)


def minor_units(amount: Decimal, currency: str) -> int:
    """Return an amount in the smallest unit of its currency.

    Raises: InvalidAmount for an amount with fractions of that unit.
    """
    whole = rounded(amount, currency)
    if whole != amount:
        raise InvalidAmount(f"{amount} is finer than {currency} allows")
    return int(whole.scaleb(MINOR_DIGITS.get(currency, 2)))


def foreign_text(units: int, currency: str) -> str:
    """Return an amount in the smallest unit of its currency as people read it: `1,500 JPY`."""
    return f"{Decimal(units).scaleb(-MINOR_DIGITS.get(currency, 2)):,f} {currency}"


def percent_of(amount_cents: int, percent: Decimal) -> int:
    """Return `percent` of an amount in cents, a half cent rounded away from zero."""
    return int((amount_cents * percent / 100).quantize(Decimal(1), ROUND_HALF_UP))
