"""Deployment checks of the database: its user, and the time limits of statements and locks."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error

from config import database_limits, env

SUPERUSERS: Final = {"postgres", "rdsadmin", "cloudsqladmin", "azuresu", "root"}
MOST_STATEMENT_SECONDS: Final = 3_600
MOST_LOCK_SECONDS: Final = 600
TIMEOUT: Final = re.compile(r"((?:statement|lock)[_-]timeout)\s*=\s*([^\s]*)", re.IGNORECASE)
SETTING: Final = re.compile(r"(?:^|\s)(?:-c\s*|--)([\w.-]+)\s*=", re.IGNORECASE)
HARMLESS: Final = {"statement_timeout", "lock_timeout", "application_name"}
SECONDS: Final = re.compile(r"(\d{1,12})(ms|s|min|h|d|)")
UNITS: Final = {**database_limits.UNITS, "h": 3_600.0, "d": 86_400.0}


def faults() -> Iterator[CheckMessage]:
    """Yield an error for each unsafe user, setting or time limit, or for a wrong replica."""
    for variable, database in addresses().items():
        if _user(database) in SUPERUSERS:
            hint = (
                "Name a role that owns no table: `manage.py grants` prints the SQL that makes it."
            )
            yield Error(f"{variable} names a superuser.", hint=hint, id="vestibule.E060")
        yield from _address_faults(variable, database.get("OPTIONS", {}).get("options", ""))
    yield from _variable_faults()
    yield from _replica_faults()


def addresses() -> dict[str, dict[str, Any]]:
    """Return the settings of the databases by the variables that name them."""
    named = {
        "DATABASE_URL": settings.DATABASES["default"],
        "DATABASE_REPLICA_URL": settings.DATABASE_REPLICA,
    }
    return {variable: database for variable, database in named.items() if database}


def _replica_faults() -> Iterator[CheckMessage]:
    """Yield an error if the replica is the primary."""
    database, replica = settings.DATABASES["default"], settings.DATABASE_REPLICA
    place = ("HOST", "PORT", "NAME")
    if replica and all(replica.get(name) == database.get(name) for name in place):
        hint = "Set it to the address of the replica, or unset it."
        yield Error("DATABASE_REPLICA_URL is DATABASE_URL.", hint=hint, id="vestibule.E113")


def _user(database: Mapping[str, Any]) -> str:
    """Return the user that libpq signs in, as far as the environment names it."""
    named: str = database.get("USER") or database.get("OPTIONS", {}).get("user", "")
    return named or env.text("PGUSER")


def _variable_faults() -> Iterator[CheckMessage]:
    """Yield an error for each time limit of a program that is off or too high."""
    for program in database_limits.DEFAULTS:
        limits, prefix = database_limits.limits_of(program), program.upper()
        for variable, seconds, most in [
            (f"{prefix}_STATEMENT_SECONDS", limits.statement, MOST_STATEMENT_SECONDS),
            (f"{prefix}_LOCK_SECONDS", limits.lock, MOST_LOCK_SECONDS),
        ]:
            if not 1 <= seconds <= most:
                fault = f"{variable} must be between 1 and {most:,}; it is {seconds:,}."
                hint = "Unset it: one statement that waits would hold a connection without end."
                yield Error(fault, hint=hint, id="vestibule.E061")


def _address_faults(variable: str, options: str) -> Iterator[CheckMessage]:
    """Yield an error for each setting in the options of an address that is not HARMLESS.

    A time limit there is an error if it is off or too high: it replaces those of all programs.
    """
    for name in SETTING.findall(options):
        if name.replace("-", "_").lower() not in HARMLESS:
            hint = "Leave it out: a setting can turn triggers off, or replace functions."
            yield Error(f"{variable} sets {name}.", hint=hint, id="vestibule.E081")
    for name, value in TIMEOUT.findall(options):
        most = MOST_LOCK_SECONDS if name.startswith("lock") else MOST_STATEMENT_SECONDS
        found = SECONDS.fullmatch(value)
        if not found or not 0 < int(found[1]) * UNITS[found[2]] <= most:
            fault = f"{variable}: {name}={value} is no time limit of at most {most:,} s."
            hint = "Leave it out, or write milliseconds: web, workers and beat have limits."
            yield Error(fault, hint=hint, id="vestibule.E062")
