"""What a file of transactions says about each."""

UNCOUNTED = [
    "TRANSFERS_IN",
    "TRANSFERS_OUT",
    "OWNER_DRAW",
    "OWNER_INVESTMENT",
    "CASH_WITHDRAWAL",
    "LOAN_PROCEEDS",
    "LOAN_PRINCIPAL",
    "HOLD",
]
HEADER = [
    "Transaction ID",
    "Time (UTC)",
    "Account",
    "Type",
    "Status",
    "Amount (USD)",
    "Category",
    "Merchant",
    "Description",
    "Use",
    "Settled (UTC)",
    "Counts as",
]
