"""What the database itself says that statements take."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection

from bench.scale.tables import rows

EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) "
ESTIMATED = "EXPLAIN (FORMAT JSON) "  # as foundation.database.estimates asks


@dataclass(frozen=True)
class Explained:
    """One statement: planning and running it, in ms, and its plan."""

    milliseconds: float
    plan: dict[str, Any]
    planning: float = 0.0  # its part of the milliseconds

    @property
    def buffers(self) -> int:
        """Return the pages of 8 KiB that running it read, from the cache or from disk."""
        return int(self.plan["Shared Hit Blocks"]) + int(self.plan["Shared Read Blocks"])

    @property
    def indexes(self) -> list[str]:
        """Return the indexes that served, without those that look one row up."""
        names = [node.get("Index Name", "") for node in self.nodes()]
        return sorted({name for name in names if name and not name.endswith("_pkey")})

    def nodes(self) -> Iterator[dict[str, Any]]:
        """Yield each node of the plan, from the top."""
        waiting = [self.plan]
        while waiting:
            node = waiting.pop(0)
            waiting = [*node.get("Plans", []), *waiting]
            yield node

    def lines(self) -> Iterator[str]:
        """Yield the plan in short: what is done, with which index, for how many rows."""
        waiting = [(0, self.plan)]
        while waiting:
            depth, node = waiting.pop(0)
            waiting = [(depth + 1, child) for child in node.get("Plans", [])] + waiting
            index = f" using {node['Index Name']}" if "Index Name" in node else ""
            table = f" on {node['Relation Name']}" if "Relation Name" in node else ""
            rows, loops = node["Actual Rows"], node["Actual Loops"]
            times = f", {loops} times" if loops > 1 else ""
            yield f"{'  ' * depth}{node['Node Type']}{index}{table}  (rows {rows:.0f}{times})"


def explain(call: Callable[[], Any], *, of: str = "") -> list[Explained]:
    """Return the time of each statement of a call; each statement was run once before.

    With `of`, statements that begin otherwise are left out.
    """
    asked: list[tuple[str, Any]] = []

    def listen(execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
        asked.append((sql, values))
        return execute(sql, values, many, context)

    with connection.execute_wrapper(listen):
        call()
    return [_explain(sql, values) for sql, values in asked if sql.startswith(of)]


def _explain(sql: str, values: Any) -> Explained:
    if sql.startswith(ESTIMATED):
        return _plan(sql, values)
    with connection.cursor() as cursor:
        cursor.execute(EXPLAIN + sql, values)
        found = cursor.fetchone()[0]
    [said] = found if isinstance(found, list) else json.loads(found)
    planning = said["Planning Time"]
    return Explained(planning + said["Execution Time"], said["Plan"], planning)


def _plan(sql: str, values: Any) -> Explained:
    """Return the time of an estimate: planning alone."""
    [(said,)] = rows(sql.replace(ESTIMATED, "EXPLAIN (SUMMARY, BUFFERS, FORMAT JSON) ", 1), values)
    [planned] = said if isinstance(said, list) else json.loads(said)
    return Explained(planned["Planning Time"], planned["Plan"], planned["Planning Time"])
