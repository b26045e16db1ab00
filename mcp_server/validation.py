"""Validate ranges of dates and amounts in parameters of tools."""

from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from mcp_server.errors import invalid


def require_order(start_date: date | None, end_date: date | None) -> None:
    """Refuse a range of days that ends before it begins. Raises: ToolError."""
    if start_date and end_date and end_date < start_date:
        raise invalid("endDate", f"must not be before startDate, {start_date}")


def cents_within(least: float | None, most: float | None) -> tuple[int | None, int | None]:
    """Return the least and the most whole cents that lie in a range of dollars.

    An end that is None stays None.
    Raises: ToolError for a range that ends before it begins.
    """
    if least is not None and most is not None and most < least:
        raise invalid("maxAmountUsd", "must not be less than minAmountUsd")
    return _cents(least, ROUND_CEILING), _cents(most, ROUND_FLOOR)


def to_cents(dollars: float) -> int:
    """Return dollars as the nearest whole cents."""
    return int(Decimal(str(dollars)).scaleb(2).to_integral_value())


def _cents(dollars: float | None, rounding: str) -> int | None:
    if dollars is None:
        return None
    return int(Decimal(str(dollars)).scaleb(2).to_integral_value(rounding))
