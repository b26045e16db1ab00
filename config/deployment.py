"""Refuse to run with secrets that are not those of the database."""

import functools
import logging
import sys
from typing import Any

from django.db import Error, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.utils import timezone

UNDEFINED_TABLE = "42P01"  # SQLSTATE of PostgreSQL; SQLite has none
logger = logging.getLogger(__name__)


def require_secrets_of_database() -> None:
    """End this program with a sentence if its secrets are not those of its database.

    A database that is away, or has no table for them yet, is asked again at each new connection.
    """
    from banking.services.deployments import SecretsDiffer  # once the apps are loaded

    connection_created.connect(verify_program)
    try:
        connection.ensure_connection()
    except SecretsDiffer as exc:
        sys.exit(str(exc))
    except Error as exc:
        logger.warning("the secrets are compared once the database answers: %s", exc)
    finally:
        connections.close_all()  # forks must not share a connection


def verify_commands() -> None:
    """Have a command of `manage.py` compare the secrets before its first statement."""
    connection_created.connect(verify_command)


def verify(*, may_record: bool = True) -> None:
    """Compare the secrets, and record them if none are. Raises: SecretsDiffer, Error."""
    from banking.services import deployments

    deployments.verify(at=timezone.now(), may_record=may_record)


def secrets_fault() -> str:
    """Return the fault of the secrets, or nothing; asked until they were right once."""
    from banking.services.deployments import SecretsDiffer

    try:
        verify_once()
    except SecretsDiffer:
        return "secrets: not those of the database"
    except Error:
        return ""  # which is a fault of the database
    return ""


@functools.cache
def verify_once() -> None:
    """Compare the secrets until they were right once. Raises: SecretsDiffer, Error."""
    verify()


def verify_program(*, connection: BaseDatabaseWrapper, **_options: Any) -> None:
    """Compare the secrets of a program at a new connection. Raises: SecretsDiffer."""
    _verify(connection, may_record=True)


def verify_command(*, connection: BaseDatabaseWrapper, **_options: Any) -> None:
    """Compare the secrets of a command at a new connection. Raises: SecretsDiffer."""
    _verify(connection, may_record=False)


def _verify(connection: BaseDatabaseWrapper, *, may_record: bool) -> None:
    """Compare the secrets at a new connection, then never again. Raises: SecretsDiffer."""
    from banking.services.deployments import SecretsDiffer

    try:
        verify(may_record=may_record)
    except SecretsDiffer:
        connection.close()  # else the next statement would use it
        raise
    except Error as exc:
        if not _is_missing_table(exc):
            logger.warning("the secrets are not compared at this connection: %s", exc)
        return
    connection_created.disconnect(verify_program)
    connection_created.disconnect(verify_command)


def _is_missing_table(error: Error) -> bool:
    """Return whether a database, which is not migrated yet, lacks the table of a statement."""
    sqlstate = getattr(error.__cause__, "sqlstate", "")
    return sqlstate == UNDEFINED_TABLE or "no such table" in str(error)
