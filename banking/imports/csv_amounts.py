"""Amounts as CSV files write them."""

import re
from decimal import Decimal
from typing import Final

from banking.imports.transactions import InvalidField, quoted
from banking.money import InvalidAmount, cents

SIGN: Final = "[+\\-\u2212]"  # a hyphen, or the minus of typographers


class AmountFormat:
    """The amount format of a bank; a text of another format is refused.

    A negative amount has a minus before or after it, or stands in parentheses.
    """

    def __init__(self, *, decimal: str = ".", thousands: str = "") -> None:
        point, group = re.escape(decimal), re.escape(thousands)
        grouped = rf"[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|" if thousands else ""
        self._thousands = thousands
        self._pattern = re.compile(
            rf"(?P<open>\()?(?P<sign>{SIGN})?\s*\$?\s*(?P<sign_within>{SIGN})?"
            rf"(?P<whole>{grouped}[0-9]+|(?={point}[0-9]))(?:{point}(?P<fraction>[0-9]*))?"
            r"\s*(?P<sign_after>-)?(?P<close>\))?"
        )

    def cents(self, text: str) -> int:
        """Return the amount in cents, which may be zero. Raises: InvalidField."""
        try:
            return cents(self.number(text))
        except InvalidAmount:
            raise InvalidField(f"has the amount {quoted(text)}: not whole cents") from None

    def number(self, text: str) -> Decimal:
        """Return the amount as written, of any currency. Raises: InvalidField."""
        match = self._pattern.fullmatch(text)
        if match is None:
            raise InvalidField(f"has the amount {quoted(text)}")
        whole = match["whole"].replace(self._thousands, "") or "0"
        amount = Decimal(f"{whole}.{match['fraction'] or '0'}")
        return amount.copy_negate() if self._is_negative(match) else amount

    def _is_negative(self, match: re.Match[str]) -> bool:
        signs = [match[name] for name in ("open", "sign", "sign_within", "sign_after")]
        stated = [sign for sign in signs if sign]
        if len(stated) > 1 or bool(match["open"]) != bool(match["close"]):
            raise InvalidField(f"has the amount {quoted(match[0])}: of which sign?")
        return stated not in ([], ["+"])
