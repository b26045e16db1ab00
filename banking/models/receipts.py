"""Receipts of purchases, as sellers issued them."""

from django.db import models

from banking.models.stored_files import SentFile
from banking.models.transactions import Transaction
from foundation.database.constraints import unique


class Receipt(models.Model):
    """A merchant's receipt; its lines, tax and tip add up to the amount of the transaction."""

    transaction = models.OneToOneField(Transaction, models.PROTECT, related_name="receipt")
    number = models.CharField(max_length=40)
    issued_at = models.DateTimeField()
    tax_cents = models.PositiveIntegerField(default=0)
    tip_cents = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"receipt of {self.transaction_id}"


class ReceiptFile(SentFile):
    """The file that came with a receipt."""

    receipt = models.OneToOneField(Receipt, models.PROTECT, related_name="file")

    def __str__(self) -> str:
        return f"file of receipt {self.receipt_id}"


class ReceiptLine(models.Model):
    """One line of a receipt."""

    receipt = models.ForeignKey(Receipt, models.PROTECT, related_name="lines")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=200)
    quantity = models.PositiveIntegerField(default=1)
    unit_price_cents = models.PositiveIntegerField()

    class Meta:
        constraints = [unique("receiptline_position_unique", "receipt", "position")]

    def __str__(self) -> str:
        return f"line {self.position} of {self.receipt_id}"

    @property
    def amount_cents(self) -> int:
        """Return the quantity times the price of a unit."""
        return self.quantity * self.unit_price_cents
