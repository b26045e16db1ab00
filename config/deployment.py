"""Deployment secrets: programs refuse to run with secrets of another database."""

import functools
import logging
import sys
from typing import Any

from django.db import Error, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.utils import timezone

from foundation.privacy.aws_kms import KeyServiceUnavailable

UNDEFINED_TABLE = "42P01"  # SQLSTATE of PostgreSQL; SQLite has none
logger = logging.getLogger(__name__)


def require_secrets_of_database() -> None:
    """Exit with an error message if the secrets do not match the database.

    If the database is unreachable or not migrated, the secrets are compared at each new connection.
    """
    from banking.services.deployments import SecretsDiffer  # needs the apps loaded

    connection_created.connect(verify_program)
    try:
        connection.ensure_connection()
    except (SecretsDiffer, KeyServiceUnavailable) as exc:
        sys.exit(str(exc))
    except Error as exc:
        logger.warning("the secrets are compared once the database answers: %s", exc)
    finally:
        connections.close_all()  # forks must not share a connection


def verify_commands() -> None:
    """Compare the secrets before the first statement of a `manage.py` command.

    If they differ, opening the database connection raises SecretsDiffer.
    """
    connection_created.connect(verify_command)


def verify(*, may_record: bool = True) -> None:
    """Compare the secrets of this process with the secrets that the database has recorded.

    With `may_record` the secrets of this process are recorded in a database that has none.
    Raises: SecretsDiffer, KeyServiceUnavailable, Error.
    """
    from banking.services import deployments

    deployments.verify(at=timezone.now(), may_record=may_record)


def secrets_fault() -> str:
    """Return the fault of the secrets, or an empty string. A match is cached.

    The string is also empty while the database does not answer, so that nothing can be compared.
    """
    from banking.services.deployments import SecretsDiffer

    try:
        verify_once()
    except SecretsDiffer:
        return "secrets: not those of the database"
    except KeyServiceUnavailable:
        return "secrets: the key service is unavailable"
    except Error:
        return ""  # health.database_fault reports the database
    return ""


@functools.cache
def verify_once() -> None:
    """Compare the secrets, or record them, and cache a match.

    Raises: SecretsDiffer, KeyServiceUnavailable, Error.
    """
    verify()


def verify_program(*, connection: BaseDatabaseWrapper, **_options: Any) -> None:
    """Compare the secrets of a program at a new connection, or record them if none are.

    Raises: SecretsDiffer, KeyServiceUnavailable.
    """
    _verify(connection, may_record=True)


def verify_command(*, connection: BaseDatabaseWrapper, **_options: Any) -> None:
    """Compare the secrets of a command at a new connection, and never record them.

    Raises: SecretsDiffer, KeyServiceUnavailable.
    """
    _verify(connection, may_record=False)


def _verify(connection: BaseDatabaseWrapper, *, may_record: bool) -> None:
    """Compare the secrets at each new connection until they match once.

    Raises: SecretsDiffer, KeyServiceUnavailable, after closing the connection. Other errors of the
    database do not raise.
    """
    from banking.services.deployments import SecretsDiffer

    try:
        verify(may_record=may_record)
    except (SecretsDiffer, KeyServiceUnavailable):
        connection.close()  # else the next statement would use this connection
        raise
    except Error as exc:
        if not _is_missing_table(exc):
            logger.warning("the secrets are not compared at this connection: %s", exc)
        return
    connection_created.disconnect(verify_program)
    connection_created.disconnect(verify_command)


def _is_missing_table(error: Error) -> bool:
    """Return whether the error is a missing table, as in a database that is not migrated yet."""
    sqlstate = getattr(error.__cause__, "sqlstate", "")
    return sqlstate == UNDEFINED_TABLE or "no such table" in str(error)
