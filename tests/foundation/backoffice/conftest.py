"""Fixtures of staff who look at the screens."""

from tests.staff import chief

__all__ = ["chief"]
