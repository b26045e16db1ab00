"""Onboarding's screens in the back office, one module per noun."""
