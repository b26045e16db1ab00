"""The SQLite backend of Django with triggers that survive migrations."""

from typing import Any

from django.db.backends.sqlite3 import base, schema
from django.db.models import Model

from foundation.metrics import declared as metrics

TRIGGERS = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s ORDER BY name"


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """A schema editor that keeps the triggers of a table that it rebuilds.

    Most changes of a column or a constraint make Django copy the table into a new one and drop the
    old one. SQLite drops the triggers of a table with it, and the table would take updates and
    deletions that `foundation.database.append_only` refuses.
    Source: https://www.sqlite.org/lang_altertable.html, section 7, steps 3 and 8.
    """

    def _remake_table(self, model: type[Model], *arguments: Any, **changes: Any) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(TRIGGERS, [model._meta.db_table])
            triggers = [sql for (sql,) in cursor.fetchall()]
        super()._remake_table(model, *arguments, **changes)  # type: ignore[misc]  # not in stubs
        for sql in triggers:
            self.execute(sql, params=None)


class DatabaseWrapper(base.DatabaseWrapper):
    """A SQLite connection whose migrations keep triggers."""

    SchemaEditorClass = DatabaseSchemaEditor

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect, and count the connection. Raises: OperationalError."""
        connection = super().get_new_connection(conn_params)
        metrics.DATABASE_CONNECTIONS.add(1)
        return connection

    def _close(self) -> None:
        metrics.DATABASE_CONNECTIONS.add(-1)
        super()._close()  # type: ignore[misc]  # not in stubs
