"""Taxes: tables per year, and an estimate worked out from them without a database."""
