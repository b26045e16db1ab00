"""All connection checks, each in a thread of its own within a time limit."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from django.db import OperationalError, connections

from config.connection_checks import (
    anchors,
    broker,
    database,
    machine,
    mail,
    outgoing,
    replica,
    scanner,
    store,
)
from config.connection_checks.findings import Finding, fault_of

SECONDS: Final = 60.0  # for all parts, which are asked at once; most have shorter limits
Check = Callable[[], Iterator[Finding]]
CHECKS: Final[Mapping[str, Check]] = {
    "database": database.check,
    "replica": replica.check,
    "broker": broker.check,
    "store": store.check,
    "mail": mail.check,
    "scanner": scanner.check,
    "providers": outgoing.check_providers,
    "webhooks": outgoing.check_webhooks,
    "anchors": anchors.check,
    "machine": machine.check,
}


def check_parts(
    checks: Mapping[str, Check] = CHECKS, *, seconds: float = SECONDS
) -> dict[str, list[Finding]]:
    """Return the findings of each part by name. No answer within `seconds` is a fault."""
    findings: dict[str, list[Finding]] = {}
    threads = {
        name: threading.Thread(target=partial(_run, name, check, findings), daemon=True)
        for name, check in checks.items()
    }
    for thread in threads.values():
        thread.start()
    deadline = time.monotonic() + seconds
    for thread in threads.values():
        thread.join(max(deadline - time.monotonic(), 0))
    late = Finding(f"There is no answer within {seconds:g} s.", "Look at the server and firewall.")
    return {name: findings.get(name, [late]) for name in checks}


def _run(name: str, check: Check, findings: dict[str, list[Finding]]) -> None:
    found: list[Finding] = []
    try:
        found.extend(check())
    except OperationalError:
        hint = "Mend the database, then ask again."
        found.append(Finding("This check needs the database, which does not answer.", hint))
    except Exception as exc:  # noqa: BLE001 - one part must not hide the others
        found.append(fault_of(f"the check of {name} failed", exc, database.HINTS))
    finally:
        findings[name] = found
        connections.close_all()  # those of this thread
