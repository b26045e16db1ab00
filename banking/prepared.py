"""Prepared statements: for the few that every call makes.

The ORM writes a statement anew each time, and Django's cursors bind its values into the text, so
that the database plans it anew, too. These statements are written once, by the ORM for a `Query`,
by hand for the others, and planned once per connection.
"""

import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar
from uuid import UUID

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Expression, Model, QuerySet
from django.db.models.query import ModelIterable, get_related_populators
from django.db.transaction import TransactionManagementError

Row = TypeVar("Row", bound=Model)
Found = TypeVar("Found")
Cursor = psycopg.Cursor[tuple[Any, ...]]
MOST_KEPT = 100  # statements, which is as many as psycopg keeps prepared
OUTLIVED = (  # what was prepared is no longer what it was
    psycopg.errors.FeatureNotSupported,  # a migration changed the type of a column
    psycopg.errors.InvalidSqlStatementName,  # a pooler lent us another connection
)


def execute(sql: str, values: Sequence[Any]) -> None:
    """Execute a statement that gives no rows. Raises: django.db.Error, as any cursor does."""
    if _is_plain():
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
    else:
        with connection.wrap_database_errors:
            _run(sql, values)


def fetch(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Execute a statement and return its rows. Raises: django.db.Error, as any cursor does."""
    if _is_plain():
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall()
    with connection.wrap_database_errors:
        return _run(sql, values).fetchall()


def update(row: Model, names: Sequence[str], **held: Any) -> bool:
    """Store some fields of a stored row, if it still holds these values; say whether it did.

    Raises: django.db.Error.
    """
    nulls = tuple((name, value is None) for name, value in held.items())
    sql, columns = _update(type(row), tuple(names), nulls)
    values = [
        column.get_db_prep_save(column.pre_save(row, add=False), connection) for column in columns
    ]
    kept = [_adapted(value) for value in held.values() if value is not None]
    return bool(fetch(sql, [*values, row.pk, *kept]))


@lru_cache(maxsize=256)
def _update(
    model: type[Model], names: tuple[str, ...], held: tuple[tuple[str, bool], ...]
) -> tuple[str, list[Any]]:
    quote, column_of = connection.ops.quote_name, model._meta.get_field
    columns: list[Any] = [column_of(name) for name in names]
    table, key = quote(model._meta.db_table), quote(_column(model._meta.pk))
    changes = ", ".join(f"{quote(_column(column))} = %s" for column in columns)
    wanted = [f"{key} = %s"]
    wanted += [
        f"{quote(_column(column_of(name)))} {'IS NULL' if is_null else '= %s'}"
        for name, is_null in held
    ]
    conditions = " AND ".join(wanted)
    sql = f"UPDATE {table} SET {changes} WHERE {conditions} RETURNING {key}"  # noqa: S608 - ours
    return sql, columns


def _column(field: Any) -> str:
    return str(field.column)


class Parameter(Expression):
    """Stands for a value that each call of a `Query` brings."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, _compiler: Any, _connection: Any) -> tuple[str, Any]:
        """Return the placeholder, and this as its value."""
        return "%s", [self]


class Query(Generic[Found]):
    """A queryset that is compiled once: `written` returns it, given a `Parameter` by each name.

    Values are single ones, and must not change the queryset's shape. It gives model instances, or
    the tuples of `values_list`; prefetches are not made. The ORM spends 150 to 400 µs on writing
    such a statement, reading a few rows of it takes 30.
    """

    def __init__(self, written: Callable[..., QuerySet[Any, Found]]) -> None:
        self._written = written

    def all(self, **values: Any) -> list[Found]:
        """Return all that is found, in the queryset's order. Raises: django.db.Error."""
        plan = self._plan
        if plan.locks and not connection.in_atomic_block:
            raise TransactionManagementError("Rows are locked within a transaction only.")
        bound = [
            _adapted(values[slot.name]) if isinstance(slot, Parameter) else slot
            for slot in plan.slots
        ]
        return list(plan.read(fetch(plan.sql, bound)))

    def first(self, **values: Any) -> Found | None:
        """Return the first of what is found, all of which is read; None if nothing is."""
        return next(iter(self.all(**values)), None)

    @cached_property
    def _plan(self) -> "_Plan":
        names = inspect.signature(self._written).parameters
        return _Plan.of(self._written(**{name: Parameter(name) for name in names}))


@dataclass(frozen=True)
class _Plan:
    """A compiled queryset, and how its rows become what it gives."""

    sql: str
    slots: tuple[Any, ...]
    locks: bool
    converters: list[tuple[int, list[Callable[..., Any]], Any]]
    width: int
    build: Callable[[Sequence[Any]], Any]

    @classmethod
    def of(cls, queryset: QuerySet[Any, Any]) -> "_Plan":
        """Compile a queryset. Source: what `ModelIterable` of Django does for each reading."""
        compiler = queryset.query.get_compiler(using=connection.alias)
        sql, slots = compiler.as_sql()
        width = compiler.col_count
        converters = compiler.get_converters([column for column, *_ in compiler.select[:width]])
        return cls(
            sql,
            tuple(slots),
            locks=queryset.query.select_for_update,
            converters=[(place, *how) for place, how in converters.items()],
            width=width,
            build=_builder(compiler) if queryset._iterable_class is ModelIterable else tuple,  # noqa: SLF001 - no other way to know
        )

    def read(self, rows: Sequence[Sequence[Any]]) -> Iterator[Any]:
        """Yield what the rows stand for."""
        for row in rows:
            values = list(row[: self.width])
            for place, converters, source in self.converters:
                for convert in converters:
                    values[place] = convert(values[place], source, connection)
            yield self.build(values)


def _builder(compiler: Any) -> Callable[[Sequence[Any]], Model]:
    """Return what makes an instance of a row, with its related ones and annotations."""
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
        for name, place in compiler.annotation_col_map.items():
            setattr(row, name, values[place])
        return row

    return build


def _adapted(value: Any) -> Any:
    """Return a value as the database's driver takes it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    return value


def _is_plain() -> bool:
    """Say whether Django's cursor must do: on SQLite, and where somebody counts the statements."""
    ours = connections[DEFAULT_DB_ALIAS]
    return ours.vendor != "postgresql" or ours.queries_logged


def _run(sql: str, values: Sequence[Any]) -> Cursor:
    """Execute a statement with the cursor that the thread keeps for it.

    It knows how to read what comes; a new one would look the reader of each column up again, for a
    third of a statement's CPU. Only for the very same text object does psycopg keep them.
    """
    ours = connections[DEFAULT_DB_ALIAS]
    ours.validate_no_broken_transaction()
    ours.close_if_health_check_failed()  # once per request, as for Django's own cursors
    try:
        return _run_prepared(ours, sql, values)
    except OUTLIVED:
        if ours.in_atomic_block:
            raise  # the rollback lets the driver forget what it had prepared
        ours.close()
        return _run_prepared(ours, sql, values)


def _run_prepared(ours: Any, sql: str, values: Sequence[Any]) -> Cursor:
    ours.ensure_connection()
    if _kept.connection is not ours.connection or len(_kept.cursors) == MOST_KEPT:
        _kept.connection, _kept.cursors = ours.connection, {}
    if sql not in _kept.cursors:
        _kept.cursors[sql] = sql, psycopg.Cursor(ours.connection)
    text, cursor = _kept.cursors[sql]
    return cursor.execute(text, values, prepare=True)


class _Kept(threading.local):
    """A thread's cursors, by the statement, and the connection that they are of."""

    connection: Any = None
    cursors: dict[str, tuple[str, Cursor]] = {}


_kept = _Kept()
