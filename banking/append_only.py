"""Tables that only grow: triggers on both databases refuse changes and deletions.

A migration that rebuilds such a table on SQLite drops its triggers: it must `protect` it again.
"""

from django.db.backends.base.base import BaseDatabaseWrapper

POSTGRESQL_FUNCTION = """
CREATE OR REPLACE FUNCTION banking_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%_is_append_only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$
"""
POSTGRESQL = {
    "{table}_no_update": "BEFORE UPDATE ON {table} FOR EACH STATEMENT",
    "{table}_no_delete": "BEFORE DELETE OR TRUNCATE ON {table} FOR EACH STATEMENT",
}
SQLITE = {
    "{table}_no_update": "BEFORE UPDATE ON {table}",
    "{table}_no_delete": "BEFORE DELETE ON {table}",
}


def protect(connection: BaseDatabaseWrapper, table: str) -> None:
    """Refuse changes and deletions of the table's rows from now on."""
    protect_from_change(connection, table)
    protect_from_deletion(connection, table)


def protect_from_change(connection: BaseDatabaseWrapper, table: str) -> None:
    """Refuse updates."""
    _create(connection, table, "{table}_no_update")


def protect_from_deletion(connection: BaseDatabaseWrapper, table: str) -> None:
    """Refuse deletions, truncating included."""
    _create(connection, table, "{table}_no_delete")


def unprotect(connection: BaseDatabaseWrapper, table: str) -> None:
    """Let the table be changed again."""
    for trigger in POSTGRESQL:
        _drop(connection, table, trigger)


def allow_deletion(connection: BaseDatabaseWrapper, table: str) -> None:
    """Let rows be deleted again: tests empty their database."""
    _drop(connection, table, "{table}_no_delete")


def _create(connection: BaseDatabaseWrapper, table: str, trigger: str) -> None:
    name = trigger.format(table=table)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(POSTGRESQL_FUNCTION)
            event = POSTGRESQL[trigger].format(table=table)
            cursor.execute(
                f"CREATE TRIGGER {name} {event} EXECUTE FUNCTION banking_refuse_change()"
            )
        else:
            event = SQLITE[trigger].format(table=table)
            fault = f"SELECT RAISE(ABORT, '{table}_is_append_only');"
            cursor.execute(f"CREATE TRIGGER {name} {event} BEGIN {fault} END")


def _drop(connection: BaseDatabaseWrapper, table: str, trigger: str) -> None:
    on = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER IF EXISTS {trigger.format(table=table)}{on}")
