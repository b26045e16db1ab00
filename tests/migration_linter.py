"""Judge the SQL of migrations newer than the last release: `python -m tests.migration_linter`.

The SQL is PostgreSQL's, and is written without a server. squawk knows which statements lock a
table for long or break the code of the release before; .squawk.toml has its rules. A migration
names the exceptions that it needs, each with a reason:

    class Migration(migrations.Migration):
        lint_exceptions = {"ban-drop-column": "1.1.0 no longer reads it"}
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from foundation.database.migration_operations import AddIndexConcurrently
from tests import released_migrations

SQUAWK = Path(sys.executable).with_name("squawk")
OLDEST = 14_00_00
SHORTEST_REASON = 15
BUSY = {  # tables that requests wait for
    "banking_account", "banking_entry", "banking_job", "banking_posting", "banking_transaction",
    "banking_user", "mcp_server_accesslogentry", "mcp_server_connection", "onboarding_apikey",
    "onboarding_application", "onboarding_document", "onboarding_event", "onboarding_lead",
    "onboarding_owner", "onboarding_publication",
}  # fmt: skip
LOCKED = "busy-table-stays-locked"
HALF_DONE = "not-repeatable"
OPERATION = re.compile(r"^--\n-- .*\n--$", re.MULTILINE)  # Django's heading of each operation
HINTS = {
    HALF_DONE: "Let it have one operation: `migrate` repeats a migration that a lock stopped.",
    LOCKED: "Let it be the last operation: Django computes the next one while the table is locked.",
    "ban-drop-default": "Give the field a db_default in the models of its app: the release before "
    "does not fill it.",
    "require-concurrent-index-creation": "Use AddIndexConcurrently, with atomic = False.",
    "require-concurrent-index-deletion": "Use RemoveIndexConcurrently, with atomic = False.",
    "constraint-missing-not-valid": (
        "Use AddConstraintNotValid, and ValidateConstraint in a migration after it."
    ),
    "ban-drop-column": "Drop it in the release after the one that stops to read it.",
    "ban-drop-table": "Drop it in the release after the one that stops to read it.",
    "renaming-column": "Keep the column: rename the field, with db_column.",
    "renaming-table": "Keep the table: rename the model, with db_table.",
}


@dataclass(frozen=True)
class Fault:
    """A statement of a migration that breaks a rule."""

    migration: str
    rule: str
    text: str

    def __str__(self) -> str:
        hint = HINTS.get(self.rule, "docs/releasing.md has the rules.")
        return f"{self.migration}: {self.rule}: {self.text} {hint}"


def main() -> int:
    """Print the faults and return the exit status."""
    faults = list(find_faults(write_sql()))
    print(*faults, sep="\n", end="\n" if faults else "")  # noqa: T201 - the report
    return int(bool(faults))


def write_sql() -> dict:
    """Return the SQL of each unreleased migration by the migration."""
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    from foundation.database.postgresql.base import DatabaseWrapper

    connection = DatabaseWrapper({**connection.settings_dict, "NAME": "nowhere"})
    connection.pg_version = OLDEST
    loader = MigrationLoader(None, replace_migrations=False)  # None: no database is asked
    files = {released_migrations.file_of(one): one for one in loader.disk_migrations.values()}
    wanted = {files[path] for path in released_migrations.unreleased(files)}
    state, found = loader.project_state([]), {}
    for key in loader.graph._generate_plan(loader.graph.leaf_nodes(), at_end=True):  # noqa: SLF001 - Django's own order
        migration = loader.graph.nodes[key]
        if migration in wanted:
            found[migration] = _collect(connection, migration, state)
        else:
            migration.mutate_state(state, preserve=False)
    return found


def _collect(connection, migration, state) -> str:
    """Return the SQL of a migration, and let it change the state."""
    editor = connection.schema_editor(collect_sql=True)  # entered, it would begin a transaction
    editor.deferred_sql = []
    editor._constraint_names = lambda *_, **__: ["a_constraint"]  # noqa: SLF001 - it asks a server
    with mock.patch.object(connection.ops, "compose_sql", _compose):
        migration.apply(state, editor, collect_sql=True)
    state.__dict__.pop("apps", None)  # rendered models, which each later migration would reload
    statements = [*editor.collected_sql, *map(str, editor.deferred_sql)]
    frame = ("BEGIN;", "COMMIT;") if migration.atomic else ("", "")
    lines = (one if one.startswith("--") else f"{one.rstrip(';')};" for one in statements)
    return "\n".join([frame[0], *lines, frame[1]])


def _compose(sql, params):
    from psycopg import sql as psycopg_sql

    return sql % tuple(psycopg_sql.quote(value) for value in params or ())


def find_faults(sources: dict):
    """Yield the faults of migrations."""
    for migration, sql in sources.items():
        name = f"{migration.app_label}.{migration.name}"
        exceptions = getattr(migration, "lint_exceptions", {})
        for rule, reason in exceptions.items():
            if len(reason) < SHORTEST_REASON:
                yield Fault(name, rule, "This exception has no reason.")
        found = [one for one in squawk(sql) if not _is_harmless(one, sql)]
        found += _lasting_locks(sql)
        found += _half_done(migration)
        for one in found:
            if one["rule_name"] not in exceptions:
                yield Fault(name, one["rule_name"], f"{_line(one, sql)[:150]!r}: {one['message']}")
        for rule in exceptions.keys() - {one["rule_name"] for one in found}:
            yield Fault(name, rule, "No statement needs this exception.")


def squawk(sql: str) -> list[dict]:
    """Return the faults that squawk finds in SQL."""
    done = subprocess.run(
        [SQUAWK, "--config", released_migrations.ROOT / ".squawk.toml", "--reporter=json"],
        input=sql,
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(done.stdout)


def _lasting_locks(sql: str) -> list[dict]:
    """Return the statements that lock a busy table before the last operation of a transaction.

    To validate a constraint takes a lock beside which rows are read and written.
    """
    if not sql.startswith("BEGIN"):
        return []
    last = max((heading.start() for heading in OPERATION.finditer(sql)), default=0)
    before = sql[:last].splitlines()
    return [
        {"rule_name": LOCKED, "line": number, "message": "More operations follow."}
        for number, line in enumerate(before)
        if (table := re.match(r'ALTER TABLE "(\w+)" (?!VALIDATE)', line)) and table[1] in BUSY
    ]


def _half_done(migration) -> list[dict]:
    """Return a fault if a part of the migration can be committed and fails when it is repeated."""
    once = [one for one in migration.operations if not isinstance(one, AddIndexConcurrently)]
    is_safe = migration.atomic or len(migration.operations) == 1 or not once
    message = "A part is committed alone."
    return [] if is_safe else [{"rule_name": HALF_DONE, "line": 0, "message": message}]


def _line(found: dict, sql: str) -> str:
    return sql.splitlines()[found["line"]]


def _is_harmless(found: dict, sql: str) -> bool:
    """Return whether it is a new nullable column with a foreign key: no row needs a check."""
    line = _line(found, sql)
    is_key = found["rule_name"] == "adding-foreign-key-constraint"
    return is_key and " ADD COLUMN " in line and " NULL CONSTRAINT " in line.replace("NOT NULL", "")


if __name__ == "__main__" and released_migrations.unreleased(released_migrations.present()):
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    import django

    django.setup()
    sys.exit(main())
