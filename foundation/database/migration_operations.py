"""Operations of migrations that leave a table open for reads and writes on PostgreSQL.

On SQLite, which has one writer, each is Django's usual operation. docs/releasing.md says which
migration needs which.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.postgres import operations
from django.db.migrations import AddConstraint, AddIndex, RemoveIndex

SAVED = "vestibule.lock_timeout"  # a setting of the session


@contextmanager
def unlimited_lock_wait(schema_editor: Any) -> Iterator[None]:
    """Run the block without the lock timeout of `manage.py migrate`. For PostgreSQL only.

    For statements that block no reads and writes while they wait, such as CREATE INDEX
    CONCURRENTLY, which waits for each transaction that began before it.
    """
    schema_editor.execute(
        f"SELECT set_config('{SAVED}', current_setting('lock_timeout'), false), "
        "set_config('lock_timeout', '0', false)"
    )
    yield
    schema_editor.execute(f"SELECT set_config('lock_timeout', current_setting('{SAVED}'), false)")


class AddIndexConcurrently(operations.AddIndexConcurrently):
    """Add an index without blocking writes. The migration needs `atomic = False`.

    It can be repeated: any index of this name, such as an invalid one of an interrupted try, is
    dropped first. No lock timeout applies. On SQLite it is a usual AddIndex.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Create the index in the database."""
        if schema_editor.connection.vendor != "postgresql":
            AddIndex.database_forwards(self, app_label, schema_editor, *states)
            return
        self._ensure_not_in_transaction(schema_editor)
        name = schema_editor.quote_name(self.index.name)
        with unlimited_lock_wait(schema_editor):
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            super().database_forwards(app_label, schema_editor, *states)

    def database_backwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Drop the index from the database."""
        if schema_editor.connection.vendor != "postgresql":
            AddIndex.database_backwards(self, app_label, schema_editor, *states)
            return
        super().database_backwards(app_label, schema_editor, *states)


class RemoveIndexConcurrently(operations.RemoveIndexConcurrently):
    """Remove an index without blocking writes. The migration needs `atomic = False`."""

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Drop the index from the database."""
        if schema_editor.connection.vendor != "postgresql":
            RemoveIndex.database_forwards(self, app_label, schema_editor, *states)
            return
        super().database_forwards(app_label, schema_editor, *states)

    def database_backwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Create the index in the database."""
        if schema_editor.connection.vendor != "postgresql":
            RemoveIndex.database_backwards(self, app_label, schema_editor, *states)
            return
        super().database_backwards(app_label, schema_editor, *states)


class AddConstraintNotValid(operations.AddConstraintNotValid):
    """Add a check constraint for new rows; on SQLite for all rows.

    On PostgreSQL, `ValidateConstraint` in a later migration checks the rows that are there.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Create the constraint in the database."""
        if schema_editor.connection.vendor != "postgresql":
            AddConstraint.database_forwards(self, app_label, schema_editor, *states)
            return
        super().database_forwards(app_label, schema_editor, *states)


class ValidateConstraint(operations.ValidateConstraint):
    """Check all rows against a constraint of `AddConstraintNotValid`, without blocking writes.

    On SQLite it does nothing: the rows were checked when the constraint was added.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        """Check the rows. Raises: IntegrityError."""
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, *states)
