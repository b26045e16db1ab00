"""Triggers that refuse updates and deletions of a table's rows, or changes of one column.

A refused statement raises an IntegrityError that names the trigger. The triggers survive
migrations that rebuild a table on SQLite: see `foundation.database.sqlite3`.
"""

from django.db.backends.base.base import BaseDatabaseWrapper

POSTGRESQL_FUNCTION = """
CREATE OR REPLACE FUNCTION banking_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_NAME USING ERRCODE = 'restrict_violation';
END $$
"""
POSTGRESQL = {
    "{table}_no_update": "BEFORE UPDATE ON {table} FOR EACH STATEMENT",
    "{table}_no_delete": "BEFORE DELETE OR TRUNCATE ON {table} FOR EACH STATEMENT",
}
SQLITE = {
    "{table}_no_update": "BEFORE UPDATE ON {table}",
    "{table}_no_delete": "BEFORE DELETE ON {table}",
    # INSERT OR REPLACE deletes rows without firing triggers of deletion
    "{table}_no_replace": "BEFORE INSERT ON {table}"
    " WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)",
}


def protect(connection: BaseDatabaseWrapper, table: str) -> None:
    """Refuse updates and deletions of the table's rows. Call it in a migration."""
    protect_from_change(connection, table)
    protect_from_deletion(connection, table)


def protect_from_change(connection: BaseDatabaseWrapper, table: str) -> None:
    """Create the triggers that refuse updates, and on SQLite `INSERT OR REPLACE` of a row."""
    _create(connection, table, "{table}_no_update")
    if connection.vendor == "sqlite":
        _create(connection, table, "{table}_no_replace")


def protect_from_deletion(connection: BaseDatabaseWrapper, table: str) -> None:
    """Create the trigger that refuses deletions, and TRUNCATE on PostgreSQL."""
    _create(connection, table, "{table}_no_delete")


def freeze(connection: BaseDatabaseWrapper, table: str, column: str) -> None:
    """Create the trigger that refuses changes of one column's values."""
    conditions = {
        "postgresql": f"FOR EACH ROW WHEN (OLD.{column} IS DISTINCT FROM NEW.{column})",
        "sqlite": f"WHEN OLD.{column} IS NOT NEW.{column}",
    }
    event = f"BEFORE UPDATE OF {column} ON {table} {conditions[connection.vendor]}"
    _create_trigger(connection, f"{table}_{column}_is_fixed", event)


def thaw(connection: BaseDatabaseWrapper, table: str, column: str) -> None:
    """Allow changes of the column again."""
    _drop(connection, table, f"{{table}}_{column}_is_fixed")


def unprotect(connection: BaseDatabaseWrapper, table: str) -> None:
    """Drop the triggers that `protect` creates, so that a migration can change rows."""
    for trigger in SQLITE:
        _drop(connection, table, trigger)


def allow_deletion(connection: BaseDatabaseWrapper, table: str) -> None:
    """Drop the trigger that refuses deletions. For tests, which empty their database."""
    _drop(connection, table, "{table}_no_delete")


def _create(connection: BaseDatabaseWrapper, table: str, trigger: str) -> None:
    events = POSTGRESQL if connection.vendor == "postgresql" else SQLITE
    name, event = trigger.format(table=table), events[trigger].format(table=table)
    _create_trigger(connection, name, event)


def _create_trigger(connection: BaseDatabaseWrapper, name: str, event: str) -> None:
    action = f"BEGIN SELECT RAISE(ABORT, '{name}'); END"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(POSTGRESQL_FUNCTION)
            action = "EXECUTE FUNCTION banking_refuse_change()"
        cursor.execute(f"CREATE TRIGGER {name} {event} {action}")


def _drop(connection: BaseDatabaseWrapper, table: str, trigger: str) -> None:
    on = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER IF EXISTS {trigger.format(table=table)}{on}")
