"""Queries: reads of the onboarding tables, one module per noun."""
