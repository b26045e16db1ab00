"""Machines: a network namespace each, and a copy of the root that only this machine writes.

The files are in a mount of memory, the namespaces have no names elsewhere, so that all of it ends
with the process that runs the trial, however that ends.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.servers import ROOT

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NETNS = Path("/run/netns")
NO_CACHES = shutil.ignore_patterns("__pycache__")
BRIDGE, BRIDGE_ADDRESS = "bridge0", "10.0.0.250/24"
ADDRESSES = {  # as in docs/production.md
    "proxy": "10.0.0.2",
    "proxy2": "10.0.0.3",
    "app1": "10.0.0.11",
    "app2": "10.0.0.12",
    "db": "10.0.0.21",
    "redis": "10.0.0.22",
    "s3": "10.0.0.23",
    "mail": "10.0.0.24",
    "db2": "10.0.0.25",
    "client": "203.0.113.5",
    "partner": "11.0.0.10",  # a public address: webhooks are sent to no other
}
NAMES = {
    "proxy": "api.example.com",
    "db": "db.example.com",
    "db2": "db2.example.com",
    "redis": "redis.example.com",
    "s3": "s3.example.com",
    "mail": "mail.example.com",
    "partner": "hooks.partner.example",
}
HOSTS = "127.0.0.1 localhost\n" + "".join(
    f"{address} {name} {NAMES.get(name, '')}\n" for name, address in ADDRESSES.items()
)
SCP = """#!/bin/sh
# A stand-in of scp: the roots of the other machines are below /run/machines.
place() { echo "$1" | sed 's#^root@\\([a-z0-9]*\\):#/run/machines/\\1#'; }
[ "$1" = -pr ] && shift
for last; do :; done
while [ $# -gt 1 ]; do
    cp -pr "$(place "$1")" "$(place "$last")"
    shift
done
"""


class CommandFailed(Exception):
    """A command of a machine ended with another status than 0; the text has its output."""


class Machine:
    """A machine in a namespace; with `has_root`, one whose files are its own."""

    def __init__(self, name: str, folder: Path, *, has_root: bool) -> None:
        self.name, self.address = name, ADDRESSES[name]
        self.folder = folder / name
        self.root = self.folder / "root" if has_root else Path("/")
        self.folder.mkdir(mode=0o755)
        if has_root:
            self._mount_root()

    def _mount_root(self) -> None:
        for part in ("root", "upper", "work"):
            (self.folder / part).mkdir()
        _overlay(Path("/"), self.folder, self.root)
        run("mount", "--rbind", "/dev", self.root / "dev")
        run("mount", "-t", "proc", "proc", self.root / "proc")
        run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", self.root / "tmp")
        (self.root / "etc/hosts").unlink(missing_ok=True)
        (self.root / "etc/hosts").write_text(HOSTS)
        self.add_program("scp", SCP)
        standin = (ROOT / "bench/trial/systemctl.py").read_text()
        self.add_program("systemctl", f"#!/usr/bin/python3\n{standin}")

    def add_program(self, name: str, text: str) -> None:
        """Put a stand-in of a program where it is found first."""
        file = self.root / "usr/local/bin" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def add_packages(self, release: Path) -> None:
        """Show the packages of this Python as /opt/vestibule, and the files of a release."""
        layers, top = self.folder / "packages", self.root / "opt/vestibule"
        for folder in (layers, layers / "upper", layers / "work"):
            folder.mkdir()
        top.mkdir(parents=True, exist_ok=True)
        _overlay(Path(sys.prefix), layers, top)
        python = Path(os.path.realpath(sys.executable))
        for folder in python.parents:  # the user of the service runs it
            below = self.root / folder.relative_to("/")
            below.chmod(below.stat().st_mode | 0o011)
        shutil.copytree(release, self.root / "root/release")
        shutil.copytree(ROOT / "tests", self.root / "opt/trial/tests", ignore=NO_CACHES)

    def trust(self, authority: Path) -> None:
        """Let the programs of this machine trust a CA, as if it were a public one."""
        text = authority.read_text()
        (self.root / "usr/local/share/ca-certificates").mkdir(parents=True, exist_ok=True)
        (self.root / "usr/local/share/ca-certificates/trial.crt").write_text(text)
        self.shell("update-ca-certificates >/dev/null 2>&1")
        for bundle in self.root.glob("opt/vestibule/lib/*/site-packages/certifi/cacert.pem"):
            bundle.write_text(f"{bundle.read_text()}\n{text}")

    def show(self, other: "Machine") -> None:
        """Let the stand-in of scp see the files of another machine."""
        place = self.root / "run/machines" / other.name
        place.mkdir(parents=True)
        run("mount", "--bind", other.root, place)

    def connect(self) -> None:
        """Put the machine onto the bridge."""
        run("ip", "netns", "add", self.name)
        link = f"v{self.name}"
        run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        run("ip", "link", "set", link, "master", BRIDGE, "up")
        inside = ["ip", "-n", self.name]
        run(*inside, "addr", "add", f"{self.address}/24", "dev", "eth0")
        run(*inside, "link", "set", "lo", "up")
        self.set_link("up")

    def set_link(self, state: str) -> None:
        """Cut the machine's network (`down`), or join it again (`up`)."""
        run("ip", "-n", self.name, "link", "set", "eth0", state)
        if state == "up":
            run("ip", "-n", self.name, "route", "add", "default", "dev", "eth0")

    def command(self, words: Sequence[object]) -> list[str]:
        """Return the command that runs another one on this machine."""
        enter = ["nsenter", f"--net={NETNS / self.name}"]
        if self.root != Path("/"):
            enter += ["chroot", str(self.root)]
        return [*enter, *map(str, words)]

    def shell(self, commands: str) -> str:
        """Run commands, stop at the first that fails, and return the output.

        Raises: CommandFailed.
        """
        words = ["/bin/bash", "-e", "-o", "pipefail", "-c", commands]
        environment = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8"}
        done = subprocess.run(
            self.command(words),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise CommandFailed(f"{self.name}: status {done.returncode}\n{commands}\n{done.stdout}")
        return done.stdout

    def start(self, words: Sequence[object], log: str, **options: Any) -> "subprocess.Popen[bytes]":
        """Start a program that runs until the trial ends."""
        with (self.folder / f"{log}.log").open("ab") as output:
            return subprocess.Popen(
                self.command(words), cwd=ROOT, stdout=output, stderr=output, **options
            )

    def unit_pid(self, unit: str) -> int:
        """Return the id of a unit's main process."""
        return int((self.root / "run/units" / f"{unit}.pid").read_text())


def run(*words: object) -> None:
    """Run a command of this machine. Raises: CommandFailed."""
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandFailed(f"{' '.join(map(str, words))}: {done.stderr.strip()}")


def make_network() -> None:
    """Make a bridge in this process's own network namespace."""
    NETNS.mkdir(exist_ok=True)
    run("mount", "-t", "tmpfs", "tmpfs", NETNS)
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", BRIDGE, "type", "bridge")
    run("ip", "addr", "add", BRIDGE_ADDRESS, "dev", BRIDGE)
    run("ip", "link", "set", BRIDGE, "up")


def _overlay(lower: Path, folder: Path, place: Path) -> None:
    options = f"lowerdir={lower},upperdir={folder / 'upper'},workdir={folder / 'work'}"
    run("mount", "-t", "overlay", "overlay", "-o", options, place)
