"""Counts of several querysets in one statement."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import QuerySet


def count_all(found: Sequence[QuerySet[Any]]) -> list[int]:
    """Return the number of rows of each queryset, in one statement; a slice counts its own rows.

    All querysets must read the database of the first.
    """
    if not found:
        return []
    using = found[0].db
    counts, values = [], []
    for rows in found:
        try:
            sql, named = rows.values("pk").query.get_compiler(using).as_sql()
        except EmptyResultSet:  # conditions that no row can meet
            sql, named = "SELECT 1 WHERE 1 = 0", ()
        counts.append(f"(SELECT count(*) FROM ({sql}) counted)")  # noqa: S608 - the ORM's SQL
        values += named
    with connections[using].cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(counts)}", values)
        return list(cursor.fetchone())
