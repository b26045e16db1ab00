"""Connection check of the database: version, TLS, rights, limits, migrations, secrets and clock."""

import time
from collections.abc import Iterator
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured
from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from config import deployment, health
from config.connection_checks.findings import Finding, Hints, fault_of
from config.deploy_transport import is_elsewhere

OLDEST: Final = 14
LIMIT: Final = "4321ms"  # a value that no server has by default
MAX_SKEW_SECONDS: Final = 2.0
HINTS: Final[Hints] = [
    ("password authentication failed", "Give DATABASE_URL the password of this role."),
    ("no password supplied", "Give DATABASE_URL the password of this role."),
    ("no pg_hba.conf entry", "Add a line `hostssl` for this machine and role to pg_hba.conf."),
    ("does not support ssl", "Switch `ssl` on in postgresql.conf, with a certificate."),
    ("root certificate", "Add sslrootcert=, the path of the CA's certificate, to DATABASE_URL."),
    ("does not match host name", "Use the name that is in the server's certificate."),
    ("unsupported startup parameter", "Name `options` in pgbouncer's ignore_startup_parameters."),
    ("does not exist", "Make the database and its roles first: docs/production.md, step 1."),
    ("is not the one that this database", "Give all programs the same secrets."),
    ("permission denied", "Run `manage.py grants` as the owner, again after each migrate."),
]
FACTS: Final = """
    SELECT current_setting('server_version'), current_setting('server_version_num')::int / 10000,
        current_user, rolsuper, current_setting('statement_timeout'),
        extract(epoch FROM clock_timestamp())::float,
        (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()
            AND pg_has_role(tableowner, 'MEMBER')),
        (SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
            AND relnamespace = current_schema()::regnamespace
            AND NOT has_table_privilege(pg_class.oid, 'SELECT'))
    FROM pg_roles WHERE rolname = current_user
"""


def check() -> Iterator[Finding]:
    """Yield the findings of the database in DATABASE_URL, as the role that it names."""
    if connections["default"].vendor != "postgresql":
        yield Finding("DATABASE_URL names no PostgreSQL.", "Set it; the docs have an example.")
        return
    findings = list(check_connection(connections["default"].copy()))
    yield from findings
    if not any(finding.hint for finding in findings):
        yield from _state()


def check_connection(probe: BaseDatabaseWrapper) -> Iterator[Finding]:
    """Yield the findings of a connection, which is opened and closed."""
    options = probe.settings_dict["OPTIONS"]
    options["options"] = f"{options.get('options', '')} -c statement_timeout={LIMIT}".strip()
    try:
        with probe.cursor() as cursor:
            cursor.execute(FACTS)
            facts, now = cursor.fetchone(), time.time()
        yield from _facts(probe, *facts, skew=now - facts[5])
    except Error as exc:
        yield fault_of("the database", exc, HINTS)
    finally:
        probe.close()


def _facts(
    probe: BaseDatabaseWrapper,
    version: str,
    major: int,
    role: str,
    is_superuser: bool,
    limit: str,
    _seconds: float,
    owned: int,
    unreadable: int,
    *,
    skew: float,
) -> Iterator[Finding]:
    socket: Any = probe.connection
    is_encrypted = socket.pgconn.ssl_in_use
    transport = "with TLS" if is_encrypted else "without TLS"
    yield Finding(f"PostgreSQL {version} answers {role}, {transport}.")
    if major < OLDEST:
        yield Finding(f"PostgreSQL {version} is too old.", f"Use {OLDEST} or newer.")
    if not is_encrypted and is_elsewhere(socket.info.host):
        hint = "Add sslmode=verify-full, and `hostssl` in the place of `host` in pg_hba.conf."
        yield Finding("The connection to another machine has no TLS.", hint)
    if is_superuser:
        hint = "Name the role of the program in DATABASE_URL."
        yield Finding(f"{role} is a superuser.", hint)
    elif owned:
        hint = (
            "Give web and workers roles of their own in DATABASE_URL: an owner can drop triggers."
        )
        yield Finding(f"{role} owns {owned} tables.", hint)
    if unreadable:
        hint = "Run `manage.py grants` as the owner, again after each migrate."
        yield Finding(f"{role} may not read {unreadable} tables.", hint)
    if limit != LIMIT:
        hint = "A pooler drops `options`: give the limits to the role, by ALTER ROLE … SET."
        yield Finding(f"Time limits do not reach the server, which has {limit}.", hint)
    if abs(skew) > MAX_SKEW_SECONDS:
        hint = "Let all machines keep time by NTP, such as chrony."
        yield Finding(f"The clocks of database and machine differ by {skew:+.1f} s.", hint)


def _state() -> Iterator[Finding]:
    """Yield the faults of migrations and secrets."""
    try:
        health.require_migrations()
        deployment.verify(may_record=False)
    except health.MigrationsPending:
        yield Finding("Migrations are pending.", "Run `manage.py migrate` as the owner.")
    except (Error, ImproperlyConfigured) as exc:
        yield fault_of("the database", exc, HINTS)
