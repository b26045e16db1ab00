"""Schema faults: objects that a database owner added, dropped or replaced to hide or change rows.

No row of a history differs then, so no hash chain and no anchor shows it: row security and rules
leave rows out for the roles of the programs, a view or a table elsewhere takes a table's place.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

POSTGRESQL_OBJECTS = """
WITH of_extensions AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e')
SELECT replace(CASE prokind WHEN 'a' THEN 'CREATE AGGREGATE ' || oid::regprocedure
    ELSE pg_get_functiondef(oid) END, quote_ident(current_schema()) || '.', '')
FROM pg_proc WHERE oid >= 16384  -- smaller ones are PostgreSQL's own
    AND ('pg_proc'::regclass::oid, oid) NOT IN (SELECT classid, objid FROM of_extensions)
UNION ALL SELECT 'CREATE OPERATOR ' || oid::regoperator
FROM pg_operator WHERE oid >= 16384
    AND ('pg_operator'::regclass::oid, oid) NOT IN (SELECT classid, objid FROM of_extensions)
UNION ALL SELECT format('CREATE CAST (%%s AS %%s)', castsource::regtype, casttarget::regtype)
FROM pg_cast WHERE oid >= 16384
    AND ('pg_cast'::regclass::oid, oid) NOT IN (SELECT classid, objid FROM of_extensions)
UNION ALL SELECT pg_get_triggerdef(oid, true)
FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = ANY (%(oids)s::oid[])
UNION ALL SELECT format('CREATE POLICY %%I ON %%s', polname, polrelid::regclass)
FROM pg_policy WHERE polrelid = ANY (%(oids)s::oid[])
UNION ALL SELECT pg_get_ruledef(pg_rewrite.oid, true)
FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class
WHERE ev_class = ANY (%(oids)s::oid[]) AND relkind IN ('r', 'p')
"""
POSTGRESQL_FAULTS = """
SELECT format('%%s is %%s instead of a table', name, CASE
    WHEN relkind IS NULL THEN 'missing'
    WHEN relkind = 'v' THEN 'a view'
    WHEN relkind = 'm' THEN 'a materialized view'
    WHEN relkind = 'f' THEN 'a foreign table'
    ELSE 'a temporary table' END)
FROM unnest(%(tables)s::text[]) name
LEFT JOIN pg_class ON pg_class.oid = to_regclass(quote_ident(name))
WHERE relkind IS NULL OR relkind NOT IN ('r', 'p') OR relpersistence = 't'
UNION ALL SELECT format('%%I.%%I has the name of a table, and a search path can prefer it',
    relnamespace::regnamespace, relname)
FROM pg_class WHERE relname = ANY (%(tables)s::text[]) AND oid <> ALL (%(oids)s::oid[])
UNION ALL SELECT format('rows of %%s are hidden by row security', oid::regclass)
FROM pg_class WHERE oid = ANY (%(oids)s::oid[]) AND (relrowsecurity OR relforcerowsecurity)
UNION ALL SELECT format('%%s shows the rows of %%s, too', inhparent::regclass, inhrelid::regclass)
FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
WHERE inhparent = ANY (%(oids)s::oid[]) AND NOT relispartition
UNION ALL SELECT format('%%s.%%I is computed instead of stored', attrelid::regclass, attname)
FROM pg_attribute WHERE attrelid = ANY (%(oids)s::oid[]) AND attgenerated <> ''
UNION ALL SELECT format('trigger %%I of %%s is switched off', tgname, tgrelid::regclass)
FROM pg_trigger WHERE tgrelid = ANY (%(oids)s::oid[]) AND tgenabled IN ('D', 'R')
UNION ALL SELECT format('the triggers of %%s are switched off: %%s',
    CASE setrole WHEN 0 THEN 'all roles' ELSE setrole::regrole::text END, setting)
FROM pg_db_role_setting CROSS JOIN unnest(setconfig) setting
WHERE setting LIKE 'session_replication_role=%%' AND setting NOT LIKE '%%=origin'
UNION ALL SELECT format('%%s may find other functions before those of PostgreSQL: %%s',
    CASE setrole WHEN 0 THEN 'all roles' ELSE setrole::regrole::text END, setting)
FROM pg_db_role_setting CROSS JOIN unnest(setconfig) setting
WHERE setting LIKE 'search_path=%%pg_catalog%%'
"""
PARTITION_FAULTS = """
WITH partition AS (
    SELECT inhrelid AS oid, inhparent AS parent, relname, relrowsecurity OR relforcerowsecurity
        AS is_hidden FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE relispartition AND inhparent = ANY (%(oids)s::oid[])
), made AS (
    SELECT partition.oid, tgname, tgfoid, tgtype, tgqual::text
    FROM partition JOIN pg_trigger ON tgrelid = parent AND NOT tgisinternal
), found AS (
    SELECT partition.oid, tgname, tgfoid, tgtype, tgqual::text
    FROM partition JOIN pg_trigger ON tgrelid = partition.oid AND NOT tgisinternal
        AND tgenabled NOT IN ('D', 'R')
)
SELECT format('partition %%s lacks the trigger %%I of its table', oid::regclass, tgname)
FROM (TABLE made EXCEPT TABLE found) missing
UNION ALL SELECT format('partition %%s has the trigger %%I, which its table lacks',
    oid::regclass, tgname)
FROM (TABLE found EXCEPT TABLE made) added
UNION ALL SELECT format('partition %%s has a rule: %%s', ev_class::regclass, rulename)
FROM partition JOIN pg_rewrite ON ev_class = partition.oid
UNION ALL SELECT format('rows of partition %%s are hidden by row security', oid::regclass)
FROM partition WHERE is_hidden
"""  # the triggers of a table do not fire for statements that name its partition
SQLITE_OBJECTS = "SELECT sql FROM sqlite_master WHERE type = 'trigger'"
SQLITE_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
SQLITE_COMPUTED = """
SELECT sqlite_master.name || '.' || column.name || ' is computed instead of stored'
FROM sqlite_master CROSS JOIN pragma_table_xinfo(sqlite_master.name) column
WHERE sqlite_master.type = 'table' AND column.hidden IN (2, 3)
"""


def find_faults(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Yield a sentence for each difference between the database and its migrations' schema."""
    tables = _tables()
    if connection.vendor == "postgresql":
        values = {"tables": tables, "oids": _oids(connection)}
        yield from sorted(_column(connection, POSTGRESQL_FAULTS, values))
        yield from sorted(_column(connection, PARTITION_FAULTS, values))
    else:
        for table in sorted({*tables} - {*_column(connection, SQLITE_TABLES, {})}):
            yield f"{table} is missing, or a view instead of a table"
        yield from sorted(_column(connection, SQLITE_COMPUTED, {}))
    found, made = Counter(list_objects(connection)), Counter(list_made(connection))
    for text in sorted((made - found).elements()):
        yield f"the database lacks what a migration made: {text}"
    for text in sorted((found - made).elements()):
        yield f"the database has what no migration made: {text}"


def list_objects(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the definitions of the triggers of the database, sorted, as one-line texts.

    On PostgreSQL also of functions, aggregates, operators, casts, rules and policies.
    """
    if connection.vendor == "postgresql":
        texts = _column(connection, POSTGRESQL_OBJECTS, {"oids": _oids(connection)})
    else:
        texts = _column(connection, SQLITE_OBJECTS, {})
    return sorted(" ".join(text.split()) for text in texts)


def list_made(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the objects of a fully migrated database, as texts, from the file DATABASE_OBJECTS.

    The texts are those of `list_objects`. A test compares the file with a new database.
    """
    made: dict[str, list[str]] = json.loads(Path(settings.DATABASE_OBJECTS).read_bytes())
    return made[connection.vendor]


def _oids(connection: BaseDatabaseWrapper) -> list[int]:
    """Return the oids of the relations that the table names stand for on the search path."""
    sql = "SELECT to_regclass(quote_ident(name))::oid FROM unnest(%(tables)s::text[]) name"
    return [oid for oid in _column(connection, sql, {"tables": _tables()}) if oid]


def _tables() -> list[str]:
    models = apps.get_models(include_auto_created=True)
    return sorted({model._meta.db_table for model in models})


def _column(connection: BaseDatabaseWrapper, sql: str, values: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return [value for (value,) in cursor.fetchall()]
