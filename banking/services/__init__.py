"""Writes of rows and files: one module per noun."""
