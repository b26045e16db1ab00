"""Every internal of Django that `foundation.database` uses, in one place.

They are not covered by Django's policy of deprecation, so a release may change them:
`tests/foundation/database/test_django_internals.py` fails for a release that nobody has checked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.backends.postgresql.psycopg_any import BaseTzLoader
from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable, get_related_populators

__all__ = [
    "CHECKED_RELEASES",
    "BaseTzLoader",
    "CompiledStatement",
    "compile_queryset",
    "mark_stored",
]

CHECKED_RELEASES = {"5.2"}
Converters = list[tuple[int, list[Callable[..., Any]], Any]]  # column, functions, expression


@dataclass(frozen=True)
class CompiledStatement:
    """The SQL of a queryset, its parameters, and the function that makes a result of a row."""

    sql: str
    parameters: tuple[Any, ...]
    locks_rows: bool
    converters: Converters
    column_count: int
    build: Callable[[Sequence[Any]], Any]


def compile_queryset(queryset: QuerySet[Any, Any]) -> CompiledStatement:
    """Compile a queryset of model instances or of `values_list` for the default connection.

    Source: `ModelIterable.__iter__` of Django, which does the same for each evaluation.
    """
    compiler = queryset.query.get_compiler(using=connection.alias)
    sql, parameters = compiler.as_sql()
    count = compiler.col_count
    converters = compiler.get_converters([column for column, *_ in compiler.select[:count]])
    gives_models = queryset._iterable_class is ModelIterable  # noqa: SLF001 - there is no public way
    return CompiledStatement(
        sql,
        tuple(parameters),
        locks_rows=queryset.query.select_for_update,
        converters=[(column, *functions) for column, functions in converters.items()],
        column_count=count,
        build=_instance_builder(compiler) if gives_models else tuple,
    )


def mark_stored(row: Model) -> None:
    """Mark an instance as stored in the default database, so that `save` updates its row."""
    row._state.adding = False  # noqa: SLF001 - there is no public way
    row._state.db = DEFAULT_DB_ALIAS  # noqa: SLF001 - there is no public way


def _instance_builder(compiler: Any) -> Callable[[Sequence[Any]], Model]:
    """Return a function that makes an instance, its related instances and its annotations."""
    info = compiler.klass_info
    start, end = info["select_fields"][0], info["select_fields"][-1] + 1
    names = [column.target.attname for column, *_ in compiler.select[start:end]]
    populators = get_related_populators(  # type: ignore[call-arg]  # the stubs are Django 6's
        info, compiler.select, connection.alias
    )

    def build(values: Sequence[Any]) -> Model:
        row: Model = info["model"].from_db(connection.alias, names, values[start:end])
        for populator in populators:
            populator.populate(values, row)
        for name, column in compiler.annotation_col_map.items():
            setattr(row, name, values[column])
        return row

    return build
