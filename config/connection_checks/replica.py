"""Connection check of the replica: a standby of this database that keeps up, for web."""

import time
from collections.abc import Iterator

from django.conf import settings
from django.db import Error, connections

from config.connection_checks.database import HINTS, check_connection
from config.connection_checks.findings import Finding, fault_of
from foundation.database import replica_lag
from foundation.database.replica import open_connection


def check() -> Iterator[Finding]:
    """Yield the findings of the replica in DATABASE_REPLICA_URL."""
    if not settings.DATABASE_REPLICA:
        yield Finding("There is none: everything is read from the primary.")
        return
    findings = list(check_connection(open_connection(settings.DATABASE_REPLICA)))
    yield from findings
    if not any(finding.hint for finding in findings):
        yield check_replay()


def check_replay() -> Finding:
    """Return the finding whether the replica replays the primary's present log position in time."""
    primary = open_connection(connections.settings["default"])
    replica = open_connection(settings.DATABASE_REPLICA)
    deadline = time.monotonic() + settings.REPLICA_LAG_SECONDS
    try:
        server, position = replica_lag.ask(primary, replica_lag.PRIMARY)
        while True:
            of_server, replayed = replica_lag.ask(replica, replica_lag.REPLICA)
            if replayed is None or of_server != server:
                hint = "Make it by `pg_basebackup -R` from the server of DATABASE_URL."
                return Finding("The server is no standby of the primary.", hint)
            if position is None or replayed >= position:
                return Finding("The standby has all changes of the primary.")
            if time.monotonic() > deadline:
                hint = "Look at pg_stat_replication of the primary; until then web leaves it out."
                return Finding("The standby is behind by more than REPLICA_LAG_SECONDS.", hint)
            time.sleep(0.1)
    except Error as exc:
        return fault_of("the database", exc, HINTS)
    finally:
        primary.close()
        replica.close()
