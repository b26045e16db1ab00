"""Querysets that are compiled to SQL once and executed as prepared statements."""

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Expression, QuerySet
from django.db.transaction import TransactionManagementError

from foundation.database.django_internals import CompiledStatement, compile_queryset
from foundation.database.prepared_statements import adapt, fetch

Found = TypeVar("Found")


class Parameter(Expression):
    """A placeholder in the queryset of a `CompiledQuery` for a value of each call."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, _compiler: Any, _connection: Any) -> tuple[str, Any]:
        """Return the placeholder of SQL, with this expression as its parameter."""
        return "%s", [self]


class CompiledQuery(Generic[Found]):
    """A queryset that is compiled at its first use.

    `queryset_of` is called once, with a `Parameter` for each of its arguments, and returns the
    queryset. Values are single ones (no lists) and must not change the SQL: None is not allowed.
    The results are model instances or the tuples of `values_list`, without prefetched relations.
    """

    def __init__(self, queryset_of: Callable[..., QuerySet[Any, Found]]) -> None:
        self._queryset_of = queryset_of

    def all(self, **values: Any) -> list[Found]:
        """Return all results, in the queryset's order.

        `values` has a value for each argument of `queryset_of`, by name.
        Raises: django.db.Error; TransactionManagementError if the queryset locks rows and there is
        no transaction.
        """
        statement = self._statement
        if statement.locks_rows and not connection.in_atomic_block:
            raise TransactionManagementError("Rows are locked within a transaction only.")
        parameters = [
            adapt(values[given.name]) if isinstance(given, Parameter) else given
            for given in statement.parameters
        ]
        return [self._read(row) for row in fetch(statement.sql, parameters)]

    def first(self, **values: Any) -> Found | None:
        """Return the first result, or None. All results are fetched: limit the queryset.

        Raises: as `all` does.
        """
        return next(iter(self.all(**values)), None)

    @cached_property
    def _statement(self) -> CompiledStatement:
        names = inspect.signature(self._queryset_of).parameters
        return compile_queryset(self._queryset_of(**{name: Parameter(name) for name in names}))

    def _read(self, row: Sequence[Any]) -> Any:
        """Return the result of a row of the database."""
        values = list(row[: self._statement.column_count])
        for column, converters, expression in self._statement.converters:
            for convert in converters:
                values[column] = convert(values[column], expression, connection)
        return self._statement.build(values)
