"""A stand-in of systemctl for machines without systemd: starts units, and starts them again.

It reads User, WorkingDirectory, EnvironmentFile, Environment, UMask, StateDirectory and ExecStart.
"""

import os
import pwd
import shlex
import signal
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

UNITS, RUN = Path("/etc/systemd/system"), Path("/run/units")
RESTART_SECONDS = 2.0
STOP_SECONDS = 30.0
FOREIGN = {  # units of the distribution
    "haproxy": ["haproxy", "-db", "-f", "/etc/haproxy/haproxy.cfg"],
    "nginx": ["nginx", "-g", "daemon off;"],
}


def main(action: str, *words: str) -> None:
    """Do what is asked of each unit."""
    RUN.mkdir(parents=True, exist_ok=True)
    for name in (word.removesuffix(".service") for word in words if not word.startswith("-")):
        if action in {"stop", "restart"}:
            stop(name)
        if action in {"start", "restart", "enable"}:
            start(name)


def start(name: str) -> None:
    """Start a process that starts the unit, and starts it again whenever it ends."""
    if os.fork():
        return
    os.setsid()
    log = os.open(f"/var/log/{name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    (RUN / f"{name}.keeper").write_text(str(os.getpid()))
    while True:
        command, options = describe(name)
        process = subprocess.Popen(command, process_group=0, **options)
        (RUN / f"{name}.pid").write_text(str(process.pid))
        process.wait()
        end_group(process.pid)  # as systemd ends the rest of a control group
        time.sleep(RESTART_SECONDS)


def stop(name: str) -> None:
    """End the keeper, then the unit; with SIGKILL if it takes too long."""
    for kind, sent in (("keeper", signal.SIGKILL), ("pid", signal.SIGTERM)):
        file = RUN / f"{name}.{kind}"
        if not file.exists():
            continue
        pid = int(file.read_text())
        file.unlink()
        kill(pid, sent)
        deadline = time.monotonic() + STOP_SECONDS
        while is_alive(pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        if kind == "pid":
            end_group(pid)


def end_group(pid: int) -> None:
    """Kill what is left of a unit, whose first process led a group."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def kill(pid: int, sent: int) -> None:
    """Send a signal to a process that may have ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, sent)


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def describe(name: str) -> tuple[list[str], dict[str, Any]]:
    """Return the command of a unit, and the options to start it with."""
    if name in FOREIGN:
        return FOREIGN[name], {}
    found: dict[str, list[str]] = defaultdict(list)
    for line in (UNITS / f"{name}.service").read_text().splitlines():
        key, separator, value = line.strip().partition("=")
        if separator and not line.startswith("#"):
            found[key].append(value)
    account = pwd.getpwnam(found["User"][0])
    environment = {"PATH": os.environ["PATH"], "HOME": account.pw_dir}
    for line in found["Environment"]:
        environment.update(one.split("=", 1) for one in shlex.split(line))
    for file in found["EnvironmentFile"]:
        environment.update(read(file))
    for folder in " ".join(found["StateDirectory"]).split():
        path = Path("/var/lib", folder)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.chown(path, account.pw_uid, account.pw_gid)
    options = {
        "cwd": (found["WorkingDirectory"] or ["/"])[0],
        "env": environment,
        "user": account.pw_uid,
        "group": account.pw_gid,
        "extra_groups": os.getgrouplist(account.pw_name, account.pw_gid),
        "umask": int((found["UMask"] or ["0022"])[0], 8),
    }
    return shlex.split(found["ExecStart"][0]), options


def read(name: str) -> dict[str, str]:
    """Return the assignments of an environment file; a name with a hyphen may be missing."""
    file = Path(name.removeprefix("-"))
    if name.startswith("-") and not file.exists():
        return {}
    lines = (line.partition("=") for line in file.read_text().splitlines())
    return {
        key: " ".join(shlex.split(value))
        for key, separator, value in lines
        if separator and not key.startswith("#")
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
