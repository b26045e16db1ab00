"""Checks: screenings, sanctions lists and risk rules."""
