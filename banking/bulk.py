"""Many rows at once: by COPY on PostgreSQL, by INSERT elsewhere."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.db import connection, models

COPY_FROM = 20  # fewer rows are inserted faster

Row = TypeVar("Row", bound=models.Model)


def insert(model: type[Row], rows: Sequence[Row]) -> None:
    """Insert unsaved rows; ids that the database gives are not read back."""
    if connection.vendor == "postgresql" and len(rows) >= COPY_FROM:
        _copy(model, rows)
    else:
        models.QuerySet[Row](model).bulk_create(rows, batch_size=1000)


def _copy(model: type[models.Model], rows: Sequence[models.Model]) -> None:
    fields = [
        field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)
    ]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    statement = f"COPY {quote(model._meta.db_table)} ({columns}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(_values(row, fields))


def _values(row: models.Model, fields: "Sequence[models.Field[Any, Any]]") -> list[Any]:
    return [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields]
