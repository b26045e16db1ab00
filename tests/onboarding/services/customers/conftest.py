"""Staff for the tests of customers."""

from tests.onboarding.cases import ada, bob

__all__ = ["ada", "bob"]
