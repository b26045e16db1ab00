"""What the tests of the screens share."""

from tests.staff import chief, count_queries, make_staff

__all__ = ["chief", "count_queries", "make_staff"]
