"""Estimates of the planner: how many rows it expects, and at which cost."""

import pytest
from django.db import connection

from foundation.database.estimates import estimate

SERIES = "SELECT n FROM generate_series(1, %(most)s) n"


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite estimates no rows")
def test_the_planner_expects_more_rows_at_a_higher_cost(db):
    few, many = (estimate(SERIES, {"most": most}) for most in (10, 10_000))

    assert (few.rows, many.rows) == (10, 10_000)
    assert 0 < few.cost < many.cost


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite estimates no rows")
def test_a_statement_that_is_estimated_is_not_run(db):
    assert estimate("SELECT 1 / (relnatts - relnatts) FROM pg_class", {}).rows > 0


@pytest.mark.skipif(connection.vendor == "postgresql", reason="PostgreSQL estimates")
def test_there_is_no_estimate_without_such_a_planner(db):
    assert estimate("SELECT 1", {}) is None
