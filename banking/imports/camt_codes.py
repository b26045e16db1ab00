"""Map the bank transaction codes of ISO 20022 to transaction types."""

from typing import Final

from banking.choices import TransactionType as T
from banking.imports.transactions import Types

TRANSFER: Final = Types(T.FUND_TRANSFER, T.FUND_TRANSFER)
CARD: Final = Types(T.PURCHASE, T.REFUND)
CASH: Final = Types(T.ATM, T.CACHE_DEPOSIT)
CHECK: Final = Types(T.FUND_TRANSFER, T.CHECK_DEPOSIT)
CHARGE: Final = Types(T.FEE, T.REFUND)
INTEREST: Final = Types(T.FEE, T.FUND_TRANSFER)

SUBFAMILIES: Final = {  # of any family
    "CHRG": CHARGE,
    "COMM": CHARGE,
    "FEES": CHARGE,
    "INTR": INTEREST,
    "CWDL": CASH,
    "CDPT": CASH,
}
FAMILIES: Final = {  # of payments, PMNT
    "CCRD": CARD,
    "MCRD": CARD,
    "CNTR": CASH,
    "RCHQ": CHECK,
    "ICHQ": CHECK,
    "ICDT": TRANSFER,
    "RCDT": TRANSFER,
    "IDDT": TRANSFER,
    "RDDT": TRANSFER,
    "IRCT": TRANSFER,
    "RRCT": TRANSFER,
}
CHECKS_OF_COUNTER: Final = frozenset({"CHKD", "MIXD"})


def types_of(family: str, subfamily: str) -> Types:
    """Return a code's transaction types of money out and in; TRANSFER if the code is unknown."""
    if family == "CNTR" and subfamily in CHECKS_OF_COUNTER:
        return CHECK
    return SUBFAMILIES.get(subfamily) or FAMILIES.get(family, TRANSFER)
