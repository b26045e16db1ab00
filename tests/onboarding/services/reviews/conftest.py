"""Reviewers of cases."""

from tests.onboarding.cases import ada, bob

__all__ = ["ada", "bob"]
