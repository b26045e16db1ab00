"""Transaction types of the large demo bank: pairs of a type and a category."""

from dataclasses import dataclass

from banking.choices import TransactionType

OUT, IN = -1, 1


@dataclass(frozen=True)
class DemoType:
    """A type and category, with sign, smallest and largest dollars, and share in a thousand."""

    transaction_type: str
    category: str
    sign: int
    least: int
    most: int
    share: int

    @property
    def is_bought(self) -> bool:
        """Return whether the counterparty is a merchant."""
        return self.transaction_type in {TransactionType.PURCHASE, TransactionType.REFUND}

    @property
    def is_fee(self) -> bool:
        """Return whether the transaction is a fee, which the bank earns."""
        return self.transaction_type == TransactionType.FEE


TRANSACTION_TYPES = [  # in the order of the totals' index, which is built faster so
    DemoType("ATM", "CASH_WITHDRAWAL", OUT, 20, 500, 20),
    DemoType("CACHE_DEPOSIT", "SALES", IN, 50, 2500, 30),
    DemoType("CHECK_DEPOSIT", "SALES", IN, 80, 6000, 20),
    DemoType("FEE", "BANK_FEES", OUT, 2, 35, 15),
    DemoType("FUND_TRANSFER", "CONTRACTORS", OUT, 200, 3000, 15),
    DemoType("FUND_TRANSFER", "INSURANCE", OUT, 120, 900, 5),
    DemoType("FUND_TRANSFER", "PAYROLL", IN, 1400, 5200, 30),
    DemoType("FUND_TRANSFER", "RENT", OUT, 1800, 4200, 6),
    DemoType("FUND_TRANSFER", "SALES", IN, 20, 4000, 170),
    DemoType("FUND_TRANSFER", "SERVICES", IN, 100, 8000, 50),
    DemoType("FUND_TRANSFER", "UTILITIES", OUT, 60, 600, 9),
    DemoType("PURCHASE", "ADVERTISING", OUT, 25, 2500, 20),
    DemoType("PURCHASE", "EQUIPMENT", OUT, 50, 4000, 15),
    DemoType("PURCHASE", "INVENTORY", OUT, 5, 900, 190),
    DemoType("PURCHASE", "MEALS", OUT, 4, 180, 90),
    DemoType("PURCHASE", "OFFICE_SUPPLIES", OUT, 3, 300, 90),
    DemoType("PURCHASE", "REPAIRS", OUT, 40, 1200, 10),
    DemoType("PURCHASE", "SHIPPING", OUT, 4, 150, 40),
    DemoType("PURCHASE", "SOFTWARE", OUT, 9, 400, 60),
    DemoType("PURCHASE", "TRAVEL", OUT, 20, 1500, 40),
    DemoType("PURCHASE", "VEHICLE", OUT, 15, 200, 50),
    DemoType("REFUND", "REFUNDS", IN, 5, 400, 25),
]
