"""Checks of a pooler between the programs and PostgreSQL: it must keep prepared statements.

The checks connect as the web server does: `manage.py check --deploy --database default`.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import psycopg
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.utils import DatabaseError, load_backend

from config import database_limits

ANSWER_SECONDS: Final = 10.0  # of a pooler that has no connection free
LOST: Final = (
    psycopg.errors.DuplicatePreparedStatement,  # another client prepared it on this connection
    psycopg.errors.InvalidSqlStatementName,  # it is on the connection of another client
)
POOLER_HINT: Final = (
    "Requests would fail by chance. Use pgbouncer 1.21 or newer with max_prepared_statements=200 "
    "(docs/production/pgbouncer.ini), or pool_mode=session."
)
OPTIONS_HINT: Final = (
    "Let the pooler ignore it: ignore_startup_parameters = options, extra_float_digits. Then give "
    "the time limits to the roles: ALTER ROLE … SET statement_timeout = '5s'."
)


@register(Tags.database, deploy=True)
def connections_keep_statements(
    databases: Iterable[str] | None = None, **_options: Any
) -> list[CheckMessage]:
    """Report a pooler that loses prepared statements or the time limits of web."""
    database = settings.DATABASES[DEFAULT_DB_ALIAS]
    if DEFAULT_DB_ALIAS not in (databases or []) or not database["ENGINE"].endswith("postgresql"):
        return []
    return list(faults(connections.settings[DEFAULT_DB_ALIAS]))


def faults(database: dict[str, Any]) -> Iterator[CheckMessage]:
    """Yield an error for each feature that a pooler takes away; `database` are the settings."""
    clients = [_client(database), _client(database)]
    try:
        if _loses_statements(clients):
            fault = "The pooler at DATABASE_URL loses prepared statements."
            yield Error(fault, hint=POOLER_HINT, id="vestibule.E110")
        if not _has_limit(clients[0]):
            fault = "Connections of web have no statement_timeout: a pooler drops the options."
            yield Error(fault, hint=OPTIONS_HINT, id="vestibule.E111")
    except DatabaseError as exc:
        text = str(exc).strip().splitlines()[0]
        fault = f"The database at DATABASE_URL does not take connections of web: {text}"
        yield Error(fault, hint=_hint(text), id="vestibule.E112")
    finally:
        for client in clients:
            client.close()


def _client(database: dict[str, Any]) -> Any:
    """Return a connection, not yet connected, with the options of the web server."""
    options = database["OPTIONS"]
    # pgbouncer takes no spaces at the end
    given = f"{database_limits.server_options('web')} {options.get('options', '')}".strip()
    of_web = {"options": given, "answer_seconds": ANSWER_SECONDS}
    values = {**database, "OPTIONS": {**options, **of_web}}
    return load_backend(values["ENGINE"]).DatabaseWrapper(values, DEFAULT_DB_ALIAS)


def _loses_statements(clients: list[Any]) -> bool:
    """Return whether a statement that a client prepared is lost, or another client's.

    psycopg numbers the statements of each connection, so both clients use the same names. The
    pooler lends both clients the same connections in turn, also those that programs have used.
    """
    try:
        for turn in [0, 0, 1, 1, 2, 2]:  # each statement twice
            for number, client in enumerate(clients):
                expected = turn * len(clients) + number
                client.ensure_connection()
                with client.wrap_database_errors:
                    cursor = psycopg.Cursor(client.connection)  # Django's own prepares nothing
                    found = cursor.execute(f"SELECT {expected}", prepare=True).fetchone()
                if found != (expected,):
                    return True
    except DatabaseError as exc:
        if isinstance(exc.__cause__, LOST):
            return True
        raise
    return False


def _has_limit(client: Any) -> bool:
    with client.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        (limit,) = cursor.fetchone()
    return str(limit) != "0"


def _hint(text: str) -> str:
    return OPTIONS_HINT if "startup parameter" in text else "Look at its log."
