"""What a file of transactions says about each."""

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
]
