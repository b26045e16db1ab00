"""Services of customers: their records, reviews and requested changes."""
