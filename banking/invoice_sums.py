"""Invoice sums: the totals of the lines, the discounts and the sales tax. Units: cents."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from banking import money
from banking.choices import DiscountType


@dataclass(frozen=True)
class Line:
    """A line of an invoice."""

    name: str
    unit_price_cents: int
    quantity: Decimal = Decimal(1)

    @property
    def amount_cents(self) -> int:
        """Return quantity times unit price, a half cent rounded away from zero."""
        return int((self.quantity * self.unit_price_cents).quantize(Decimal(1), ROUND_HALF_UP))


@dataclass(frozen=True)
class Discount:
    """A discount: `value` percent of all lines, or `value` dollars."""

    name: str
    discount_type: DiscountType
    value: Decimal

    def amount_cents(self, subtotal_cents: int) -> int:
        """Return the amount of the discount on a subtotal; a half cent of a percentage rounds up.

        Raises: InvalidAmount if `value` is dollars with fractions of a cent.
        """
        if self.discount_type == DiscountType.PERCENT:
            return money.percent_of(subtotal_cents, self.value)
        return money.cents(self.value)


@dataclass(frozen=True)
class InvoiceSums:
    """The lines and discounts of an invoice, and their sums. Sales tax applies after discounts."""

    lines: Sequence[Line]
    discounts: Sequence[Discount] = ()
    sales_tax_percent: Decimal = Decimal(0)

    @property
    def subtotal_cents(self) -> int:
        """Return the sum of all lines."""
        return sum(line.amount_cents for line in self.lines)

    @property
    def discount_cents(self) -> int:
        """Return the sum of all discounts, each on the subtotal; it may exceed the subtotal.

        Raises: InvalidAmount.
        """
        return sum(discount.amount_cents(self.subtotal_cents) for discount in self.discounts)

    @property
    def sales_tax_cents(self) -> int:
        """Return the tax on the subtotal less the discounts; a half cent rounds away from zero.

        Raises: InvalidAmount.
        """
        taxed = self.subtotal_cents - self.discount_cents
        return money.percent_of(taxed, self.sales_tax_percent)
