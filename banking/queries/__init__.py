"""Reads of the database: one module per noun."""
