"""PostgreSQL time limits: different for the web server, the workers and beat.

Each program sets `database_limits.program`, such as "web", before the settings are read; a fork of
a management command calls `become`. Options in DATABASE_URL take precedence.
"""

import re
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from config import env
from foundation.database.deadlines import answer_seconds

CONNECTION = {  # Source: PostgreSQL, libpq, "Parameter Key Words"
    "connect_timeout": 3,
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds that sent data may stay unacknowledged
}
STATEMENT_TIMEOUT = re.compile(r"statement_timeout=(\d+)(ms|s|min|)\b")
UNITS = {"": 0.001, "ms": 0.001, "s": 1.0, "min": 60.0}


@dataclass(frozen=True)
class Limits:
    """Limits of a statement, of its wait for a lock, and of an idle transaction. Units: seconds."""

    statement: int
    lock: int
    idle: int


DEFAULTS = {
    "web": Limits(statement=5, lock=2, idle=30),
    "worker": Limits(statement=60, lock=10, idle=120),
    "beat": Limits(statement=5, lock=2, idle=30),
}
MANAGE = "manage"  # a management command, which has no limits
program = MANAGE


def options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the OPTIONS of DATABASES for this program; `given` are the options in DATABASE_URL.

    Options that are given take precedence.
    """
    all_given = (
        f"{server_options(program)} {given.get('options', '')}".strip()
    )  # the last value wins
    name = {"application_name": _application_name(program)}
    return {
        **CONNECTION,
        **name,
        **given,
        "options": all_given,
        "answer_seconds": answer_seconds(_statement_seconds(all_given)),
    }


def become(name: str) -> None:
    """Give the connections that this fork of a management command opens the limits of a program."""
    global program
    program = name
    for database in (settings.DATABASES["default"], settings.DATABASE_REPLICA):
        if "answer_seconds" in database.get("OPTIONS", {}):  # PostgreSQL
            of_manage = database["OPTIONS"]
            if of_manage["application_name"] == _application_name(MANAGE):
                del of_manage["application_name"]  # DATABASE_URL names none
            of_manage.update(options(of_manage))


def limits_of(name: str) -> Limits:
    """Return the limits of a program in DEFAULTS, as the environment sets them."""
    limits, prefix = DEFAULTS[name], name.upper()
    return Limits(
        statement=env.integer(f"{prefix}_STATEMENT_SECONDS", limits.statement),
        lock=env.integer(f"{prefix}_LOCK_SECONDS", limits.lock),
        idle=limits.idle,
    )


def server_options(name: str) -> str:
    """Return the startup parameter `options` with a program's limits; empty if it has no limits."""
    if name not in DEFAULTS:
        return ""
    limits = limits_of(name)
    seconds = {
        "statement_timeout": limits.statement,
        "lock_timeout": limits.lock,
        "idle_in_transaction_session_timeout": limits.idle,
    }
    return " ".join(f"-c {limit}={value * 1000}" for limit, value in seconds.items())


def _application_name(name: str) -> str:
    return f"vestibule-{name}"


def _statement_seconds(all_given: str) -> float:
    """Return the statement timeout. Units: seconds; 0 means no limit."""
    found = STATEMENT_TIMEOUT.findall(all_given)
    return int(found[-1][0]) * UNITS[found[-1][1]] if found else 0
