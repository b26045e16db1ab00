"""The planner's estimate of a statement, to choose between two ways of reading the same."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection


@dataclass(frozen=True)
class Estimate:
    """The rows that a statement returns and its cost, in the planner's units."""

    rows: int
    cost: float


def estimate(sql: str, values: Mapping[str, Any]) -> Estimate | None:
    """Return the rows and the cost that the planner expects of a statement; None on SQLite.

    The statement is not run. The estimate is as good as the statistics of the tables.
    """
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", values)
        [found] = cursor.fetchone()
    [planned] = json.loads(found) if isinstance(found, str) else found
    return Estimate(planned["Plan"]["Plan Rows"], planned["Plan"]["Total Cost"])
