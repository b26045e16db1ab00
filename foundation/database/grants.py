"""Grants: the rights of PostgreSQL roles that run the programs and own nothing.

The owner of a table can drop its triggers. These roles can neither do that nor change or delete a
row where a trigger refuses it, since the right to do so is missing even without the trigger.
"""

from collections.abc import Iterator, Sequence

from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

READ_ONLY = {"django_migrations"}
RIGHTS = ["SELECT", "INSERT", "UPDATE", "DELETE"]
TABLES = """
    SELECT relname, ARRAY(
        SELECT tgname FROM pg_trigger
        WHERE tgrelid = pg_class.oid
            AND tgname IN (relname || '_no_update', relname || '_no_delete')
    )
    FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
        AND NOT relispartition  -- the programs reach partitions through their table alone
    ORDER BY relname
"""
REFUSAL = """DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = {name} AND (rolsuper OR rolbypassrls OR
            rolcreaterole)) OR pg_has_role({name}, {owner}, 'MEMBER') THEN
        RAISE EXCEPTION 'role % has the rights of the owner', {name};
    END IF;
    IF EXISTS (SELECT 1 FROM pg_class WHERE relkind IN ('r', 'p', 'S') AND
            relnamespace = current_schema()::regnamespace AND
            pg_has_role({name}, relowner, 'MEMBER')) THEN
        RAISE EXCEPTION 'role % owns tables', {name};
    END IF;
END $$"""
CHECK = """DO $$ BEGIN
    IF has_table_privilege({name}, {table}, {refused}) THEN
        RAISE EXCEPTION 'role % has more rights on % by another role it is a member of',
            {name}, {table};
    END IF;
END $$"""


class NotPostgresql(Exception):
    """The database has no roles."""


def statements(connection: BaseDatabaseWrapper, roles: Sequence[str]) -> Iterator[str]:
    """Yield the SQL that gives roles the rights they need on this schema.

    The SQL takes all other rights from the roles, and all rights from PUBLIC. It fails for a role
    that owns tables, is a superuser, or has more rights as a member of another role.

    The roles must exist. Run the SQL again after each migration: roles have no rights on new
    tables. Raises: NotPostgresql.
    """
    if connection.vendor != "postgresql":
        raise NotPostgresql(
            "Only PostgreSQL has roles: the owner of a SQLite file may do anything."
        )
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database(), current_schema(), current_user")
        database, schema, owner = (str(name) for name in cursor.fetchone() or ())
        cursor.execute(TABLES)
        tables = {str(name): _refused(name, triggers) for name, triggers in cursor.fetchall()}
    where = {"database": database, "schema": schema}
    yield _sql("REVOKE CREATE, TEMPORARY ON DATABASE {database} FROM PUBLIC", **where)
    yield _sql("REVOKE ALL ON SCHEMA {schema} FROM PUBLIC", **where)
    yield _sql("REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM PUBLIC", **where)
    yield _sql("REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schema} FROM PUBLIC", **where)
    for role in roles:
        yield sql.SQL(REFUSAL).format(name=sql.Literal(role), owner=sql.Literal(owner)).as_string()
        yield from _rights(role, tables, **where)


def _refused(table: str, triggers: Sequence[str]) -> list[str]:
    """Return the rights that roles do not get on a table, since its triggers refuse their use."""
    updating = ["UPDATE"] if f"{table}_no_update" in triggers else []
    return [*updating, "DELETE", "TRUNCATE"] if f"{table}_no_delete" in triggers else updating


def _rights(role: str, tables: dict[str, list[str]], **where: str) -> Iterator[str]:
    where["role"] = role
    yield _sql("REVOKE ALL ON DATABASE {database} FROM {role}", **where)
    yield _sql("REVOKE ALL ON SCHEMA {schema} FROM {role}", **where)
    yield _sql("REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {role}", **where)
    yield _sql("REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schema} FROM {role}", **where)
    yield _sql("GRANT CONNECT ON DATABASE {database} TO {role}", **where)
    yield _sql("GRANT USAGE ON SCHEMA {schema} TO {role}", **where)
    yield _sql("GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}", **where)
    for table, refused in tables.items():
        rights = ", ".join(right for right in RIGHTS if right not in refused)
        rights = "SELECT" if table in READ_ONLY else rights
        yield _sql(f"GRANT {rights} ON {{schema}}.{{table}} TO {{role}}", table=table, **where)
        if refused:
            said = {"name": role, "table": f'"{table}"', "refused": ", ".join(refused)}
            literals = {name: sql.Literal(text) for name, text in said.items()}
            yield sql.SQL(CHECK).format(**literals).as_string()


def _sql(template: str, **names: str) -> str:
    quoted = {name: sql.Identifier(value) for name, value in names.items()}
    return sql.SQL(template).format(**quoted).as_string()
