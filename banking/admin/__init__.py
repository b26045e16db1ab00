"""The back office and the bank's screens in it, one module per noun."""

from banking.admin import (
    accountants,
    accounts,
    bills,
    businesses,
    cards,
    home,
    invoices,
    jobs,
    ledger,
    plans,
    statements,
    suppliers,
    taxes,
    terms,
    transactions,
    users,
)

__all__ = [
    "accountants",
    "accounts",
    "bills",
    "businesses",
    "cards",
    "home",
    "invoices",
    "jobs",
    "ledger",
    "plans",
    "statements",
    "suppliers",
    "taxes",
    "terms",
    "transactions",
    "users",
]
