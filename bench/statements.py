"""How many SQL statements a request takes: told by PostgreSQL itself, whoever asks it."""

from collections.abc import Callable
from statistics import median
from urllib.parse import urlsplit

import psycopg

RUNS = 5
COUNT = """
    SELECT coalesce(sum(s.calls), 0) FROM pg_stat_statements s
    JOIN pg_database d ON d.oid = s.dbid
    WHERE d.datname = %s AND s.query !~* '^(begin|commit|rollback|savepoint|release|set)'
    AND s.query NOT LIKE '%%FOR KEY SHARE OF x'
"""


def count(database_url: str, work: Callable[[], object]) -> int:
    """Return the median of the statements that `work` causes in a database.

    Neither what begins and ends a transaction is counted, nor PostgreSQL's own looks for foreign
    keys. The server is one of `bench.databases`.
    """
    parts = urlsplit(database_url)
    name = parts.path.lstrip("/")
    with psycopg.connect(parts._replace(path="/postgres").geturl(), autocommit=True) as watch:
        watch.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        counts = []
        for _ in range(RUNS):
            before = _calls(watch, name)
            work()
            counts.append(_calls(watch, name) - before)
    return round(median(counts))


def _calls(watch: psycopg.Connection[tuple[int]], name: str) -> int:
    found = watch.execute(COUNT, [name]).fetchone()
    return int(found[0]) if found else 0
