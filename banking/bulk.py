"""Many rows at once: by COPY on PostgreSQL, by INSERT elsewhere."""

from collections.abc import Sequence
from operator import attrgetter
from typing import TypeVar

from django.db import connection, models

COPY_FROM = 20  # fewer rows are inserted faster

Row = TypeVar("Row", bound=models.Model)


def insert(model: type[Row], rows: Sequence[Row]) -> None:
    """Insert unsaved rows; ids that the database gives are not read back.

    Values go as they are: not for fields that translate them, such as sealed ones and JSON.
    """
    if connection.vendor == "postgresql" and len(rows) >= COPY_FROM:
        _copy(model, rows)
    else:
        models.QuerySet[Row](model).bulk_create(rows, batch_size=1000)


def _copy(model: type[Row], rows: Sequence[Row]) -> None:
    fields = [
        field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)
    ]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    statement = f"COPY {quote(model._meta.db_table)} ({columns}) FROM STDIN"
    values = attrgetter(*(field.attname for field in fields))
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(values(row))
