"""A stand-in of systemctl for machines without systemd: starts units, and starts them again.

It reads templates and drop-ins. Limits, and what programs may not do, it leaves out. Programs
report to it as to systemd: a start returns at READY=1, and one whose reports stop is killed.
"""

import os
import pwd
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

UNITS, RUN = Path("/etc/systemd/system"), Path("/run/units")
CREDENTIALS = Path("/run/credentials")
RESTART_SECONDS = 2.0
READY_SECONDS = 240.0  # for a start on a busy machine
STOP_SECONDS = 30.0
FOREIGN = {  # units of the distribution
    "haproxy": ["haproxy", "-db", "-f", "/etc/haproxy/haproxy.cfg"],
    "nginx": ["nginx", "-g", "daemon off;"],
    "pgbouncer": ["pgbouncer", "-u", "postgres", "/etc/pgbouncer/pgbouncer.ini"],
}
SPECIFIER = re.compile("%(.)")
Unit = dict[str, list[str]]


def main(action: str, *words: str) -> int:
    """Run the command for each unit, and return the exit status."""
    RUN.mkdir(parents=True, exist_ok=True)
    names = [word.removesuffix(".service") for word in words if not word.startswith("-")]
    for name in names if action in {"stop", "restart"} else []:
        stop(name)
    if action not in {"start", "restart", "enable"}:
        return 0
    units = {name: {} if name in FOREIGN else read_unit(name) for name in names}
    once = {name for name, unit in units.items() if unit.get("Type") == ["oneshot"]}
    for name in units.keys() - once:
        start(name, units[name])
    done = [run_once(name, units[name]) for name in once]
    return not all(done + [becomes_ready(name) for name in units.keys() - once])


def run_once(name: str, unit: Unit) -> bool:
    """Run the commands of a unit one after the other; return whether all succeeded."""
    options = describe(name, unit)
    with Path(f"/var/log/{name}.log").open("ab") as log:
        for command in unit["ExecStart"]:
            done = subprocess.run(
                shlex.split(command), stdout=log, stderr=log, check=False, **options
            )
            if done.returncode:
                sys.stderr.write(f"Job for {name}.service failed.\n")
                return False
    return True


def start(name: str, unit: Unit) -> None:
    """Start a process that starts the unit, and starts it again whenever it ends."""
    if os.fork():
        return
    os.setsid()
    log = os.open(f"/var/log/{name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    (RUN / f"{name}.keeper").write_text(str(os.getpid()))
    command = FOREIGN.get(name) or shlex.split(unit["ExecStart"][0])
    watchdog = float((unit.get("WatchdogSec") or ["inf"])[0])
    while True:
        reports = listen(name)
        process = subprocess.Popen(command, process_group=0, **describe(name, unit))
        (RUN / f"{name}.pid").write_text(str(process.pid))
        if unit.get("Type") != ["notify"]:
            (RUN / f"{name}.ready").touch()
        watch(name, process, reports, watchdog)
        end_group(process.pid)  # as systemd ends the rest of a control group
        time.sleep(RESTART_SECONDS)


def listen(name: str) -> socket.socket:
    """Return the socket to which a unit reports."""
    (RUN / f"{name}.ready").unlink(missing_ok=True)
    place = RUN / f"{name}.notify"
    place.unlink(missing_ok=True)
    reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    reports.bind(str(place))
    place.chmod(0o666)
    reports.settimeout(0.2)
    return reports


def watch(
    name: str, process: "subprocess.Popen[bytes]", reports: socket.socket, watchdog: float
) -> None:
    """Return once a program has ended; kill it if it was ready and its reports stop."""
    ready, reported_at = RUN / f"{name}.ready", time.monotonic()
    with reports:
        while process.poll() is None:
            with suppress(TimeoutError):
                if b"READY=1" in reports.recv(4096):
                    ready.touch()
                reported_at = time.monotonic()
            if ready.exists() and time.monotonic() - reported_at > watchdog:
                print(f"{name}: the watchdog kills it", flush=True)  # noqa: T201 - in its log
                process.kill()


def becomes_ready(name: str) -> bool:
    """Return whether a unit is ready in time."""
    deadline = time.monotonic() + READY_SECONDS
    while not (RUN / f"{name}.ready").exists():
        if time.monotonic() > deadline:
            sys.stderr.write(f"Job for {name}.service failed: it is not ready.\n")
            return False
        time.sleep(0.1)
    return True


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
    (RUN / f"{name}.ready").unlink(missing_ok=True)


def end_group(pid: int) -> None:
    """Kill the remaining processes of a unit, whose first process led a group."""
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


def read_unit(name: str, units: Path = UNITS) -> Unit:
    """Return the assignments of the template or unit and of its drop-ins, in systemd's order."""
    stem, at, instance = name.partition("@")
    prefixes = {f"{stem}{at}", name, *(f"{stem[: i + 1]}" for i, c in enumerate(stem) if c == "-")}
    folders = [units / f"{prefix}.service.d" for prefix in sorted(prefixes, key=len)]
    dropins = {file.name: file for folder in folders for file in folder.glob("*.conf")}
    found: Unit = defaultdict(list)
    specifiers = {"%": "%", "i": instance, "d": str(CREDENTIALS / f"{name}.service")}
    for file in [units / f"{stem}{at}.service", *(dropins[key] for key in sorted(dropins))]:
        for line in file.read_text().splitlines():
            key, separator, value = line.strip().partition("=")
            if separator and not line.startswith("#"):
                value = SPECIFIER.sub(lambda found: specifiers[found[1]], value)
                found[key].append(value.replace("$$", "$"))
    return dict(found)


def describe(name: str, unit: Unit) -> dict[str, Any]:
    """Return the options to start a unit with. Copies its credentials, and makes its folders."""
    if name in FOREIGN:
        return {}
    account = pwd.getpwnam(unit["User"][0])
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": account.pw_dir,
        "NOTIFY_SOCKET": str(RUN / f"{name}.notify"),
    }
    for line in unit["Environment"]:
        environment.update(one.split("=", 1) for one in shlex.split(line))
    for file in unit["EnvironmentFile"]:
        environment.update(read(file))
    own = CREDENTIALS / f"{name}.service"
    for folder in [own, *(Path("/var/lib", one) for one in unit["StateDirectory"])]:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.chown(folder, account.pw_uid, account.pw_gid)
    for credential in unit["LoadCredential"]:
        key, _, source = credential.partition(":")
        (own / key).unlink(missing_ok=True)
        shutil.copyfile(source, own / key)
        (own / key).chmod(0o400)
        os.chown(own / key, account.pw_uid, account.pw_gid)
    return {
        "cwd": unit["WorkingDirectory"][0],
        "env": environment,
        "user": account.pw_uid,
        "group": account.pw_gid,
        "extra_groups": os.getgrouplist(account.pw_name, account.pw_gid),
        "umask": int(unit["UMask"][0], 8),
    }


def read(name: str) -> dict[str, str]:
    """Return the assignments of an environment file."""
    lines = (line.partition("=") for line in Path(name).read_text().splitlines())
    return {
        key: " ".join(shlex.split(value))
        for key, separator, value in lines
        if separator and not key.startswith("#")
    }


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
