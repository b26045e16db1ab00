"""The faults of the trial: each part ends once while the load goes on."""

import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import psutil

from bench.trial import services
from bench.trial.machines import Machine
from bench.trial.systemctl import RESTART_SECONDS

WINDOW_SECONDS = 14.0  # between two faults
AWAY_SECONDS = 6.0
NO_FAULT, ROLLING_RESTART = "no fault", "rolling restart of both web servers"
WITHOUT_FAILURES = (NO_FAULT, ROLLING_RESTART)  # windows in which no request may fail


@dataclass
class Parts:
    """The machines, and the processes that have no unit."""

    machines: dict[str, Machine]
    database: "subprocess.Popen[bytes]"
    redis: "subprocess.Popen[bytes]"
    restart_redis: Callable[[], "subprocess.Popen[bytes]"]
    scanner: "subprocess.Popen[bytes]"  # clamd of app1


@dataclass
class Window:
    """A fault and the seconds of it. Units: seconds since the epoch."""

    name: str
    begun_at: float
    ended_at: float = 0.0
    back_after: float | None = None  # seconds until the part answered again
    notes: list[str] = field(default_factory=list)


def run_all(parts: Parts, say: Callable[[str], None], *, with_pooler: bool) -> list[Window]:
    """Make each fault in turn and return their windows."""
    windows = [_window(NO_FAULT, lambda _parts: None, parts)]
    faults = {**FAULTS, **POOLER_FAULTS} if with_pooler else FAULTS
    for name, fault in faults.items():
        say(f"  {name}")
        windows.append(_window(name, fault, parts))
    return windows


def _window(name: str, fault: Callable[[Parts], float | None], parts: Parts) -> Window:
    window = Window(name, time.time())
    window.back_after = fault(parts)
    time.sleep(max(WINDOW_SECONDS - (time.time() - window.begun_at), 3.0))
    window.ended_at = time.time()
    return window


def restart_in_turn(parts: Parts) -> float:
    """Restart web on one machine, then on the other; return the seconds until both are ready."""
    started = time.monotonic()
    for name in ("app1", "app2"):
        parts.machines[name].shell("systemctl restart vestibule-web@8000")
        _wait_until_ready(parts.machines[name])
    return time.monotonic() - started


def kill_web(parts: Parts) -> float:
    """Kill the main process of a web server."""
    return _kill_unit(parts.machines["app1"], "vestibule-web@8000")


def kill_web_process(parts: Parts) -> None:
    """Kill one of the processes of a web server that answer requests."""
    main = psutil.Process(parts.machines["app1"].unit_pid("vestibule-web@8000"))
    main.children()[-1].kill()


def kill_worker(parts: Parts) -> None:
    """Kill a worker."""
    _kill(parts.machines["app1"].unit_pid("vestibule-worker@1"))


def kill_beat(parts: Parts) -> None:
    """Kill beat."""
    _kill(parts.machines["app1"].unit_pid("vestibule-beat"))


def kill_broker(parts: Parts) -> float:
    """Kill Redis, which keeps nothing, and start it empty."""
    started = time.monotonic()
    parts.redis.kill()
    parts.redis.wait()
    time.sleep(AWAY_SECONDS)
    parts.redis = parts.restart_redis()
    return time.monotonic() - started


def restart_database(parts: Parts) -> float:
    """Restart PostgreSQL, which closes all connections."""
    return _end_database(parts, signal.SIGINT)


def crash_database(parts: Parts) -> float:
    """End PostgreSQL without a checkpoint, so that it recovers from its log."""
    return _end_database(parts, signal.SIGQUIT)


def kill_scanner(parts: Parts) -> float:
    """Kill clamd of one machine, and start it again."""
    started = time.monotonic()
    parts.scanner.kill()
    parts.scanner.wait()
    time.sleep(AWAY_SECONDS)
    parts.scanner = services.run_scanner(parts.machines["app1"])
    return time.monotonic() - started


def cut(parts: Parts, *, name: str) -> float:
    """Cut the network of a machine for AWAY_SECONDS."""
    parts.machines[name].set_link("down")
    time.sleep(AWAY_SECONDS)
    parts.machines[name].set_link("up")
    return AWAY_SECONDS


def kill_proxy(parts: Parts, *, name: str, unit: str) -> float:
    """Kill one of the two proxies."""
    started = time.monotonic()
    machine = parts.machines[name]
    _kill(machine.unit_pid(unit))
    time.sleep(RESTART_SECONDS / 2)
    services.wait_for_port(machine.address, 443)
    return time.monotonic() - started


def kill_pooler(parts: Parts, *, name: str, unit: str) -> float:
    """Kill the pooler of a machine."""
    return _kill_unit(parts.machines[name], unit)


def cut_machine(parts: Parts) -> float:
    """Cut the network of a machine with web, worker and beat."""
    away = cut(parts, name="app1")
    started = time.monotonic()
    _wait_until_ready(parts.machines["app1"])
    return away + time.monotonic() - started


FAULTS: dict[str, Callable[[Parts], float | None]] = {
    ROLLING_RESTART: restart_in_turn,
    "web, kill -9": kill_web,
    "one process of web, kill -9": kill_web_process,
    "worker, kill -9": kill_worker,
    "beat, kill -9": kill_beat,
    "Redis, kill -9, empty after 6 s": kill_broker,
    "PostgreSQL, restart": restart_database,
    "PostgreSQL, ended without a checkpoint": crash_database,
    "replica, network cut for 6 s": partial(cut, name="db2"),
    "S3, network cut for 6 s": partial(cut, name="s3"),
    "mail server, network cut for 6 s": partial(cut, name="mail"),
    "clamd of app1, kill -9, back after 6 s": kill_scanner,
    "HAProxy, kill -9": partial(kill_proxy, name="proxy", unit="haproxy"),
    "nginx, kill -9": partial(kill_proxy, name="proxy2", unit="nginx"),
    "app1, network cut for 6 s": cut_machine,
}
POOLER_FAULTS: dict[str, Callable[[Parts], float | None]] = {
    "pgbouncer of app1, kill -9": partial(kill_pooler, name="app1", unit="pgbouncer"),
}


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def _kill_unit(machine: Machine, unit: str) -> float:
    started = time.monotonic()
    pid = machine.unit_pid(unit)
    _kill(pid)
    services.wait(unit, lambda: machine.unit_pid(unit) != pid)
    _wait_until_ready(machine)
    return time.monotonic() - started


def _wait_until_ready(machine: Machine) -> None:
    """Return once web of a machine is ready."""
    request = urllib.request.Request(
        f"http://{machine.address}:8000/readyz", headers={"Host": "api.example.com"}
    )

    def is_ready() -> bool:
        with urllib.request.urlopen(request, timeout=2) as answer:  # noqa: S310 - as above
            return bool(answer.status == 200)

    services.wait(f"web of {machine.name}", is_ready)


def _end_database(parts: Parts, sent: int) -> float:
    started = time.monotonic()
    os.kill(parts.database.pid, sent)
    parts.database.wait()
    parts.database = services.run_database(parts.machines["db"])
    return time.monotonic() - started
