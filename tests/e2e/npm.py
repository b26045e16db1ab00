"""Packages from npm: of exact versions, fetched once for each environment, never committed."""

import fcntl
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.e2e.browsing import require

CACHE = Path(sys.prefix) / "npm"
OPTIONS = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
MIB = 1024**2  # scripts are smaller, programs larger
OLDEST_NODE = 22  # what the packages want
FETCHED_NODE = "22.23.3"


def modules(package):
    """Return the folder `node_modules` with a package, `name@version`, and what it needs."""
    folder = CACHE / package.replace("/", "+") / "node_modules"
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with (CACHE / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():  # unless another process was faster
                _fetch(package, folder)
    return folder


def native(package, program):
    """Return the program that a package has for this machine in a package of its platform."""
    folder = modules(package)
    found = [path for path in folder.rglob(program) if path.is_file() and path.stat().st_size > MIB]
    if not found:
        require(f"{package} has no {program} for this machine")
    found[0].chmod(0o755)
    return found[0]


def node():
    """Return the path of a Node.js that is new enough; npm has one where the machine has none."""
    found = shutil.which("node")
    if found and _major(found) >= OLDEST_NODE:
        return found
    architecture = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    name = f"node-{sys.platform}-{architecture}"
    return str(modules(f"{name}@{FETCHED_NODE}") / name / "bin" / "node")


def _major(program):
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return int(said.stdout.removeprefix("v").partition(".")[0])


def _fetch(package, folder):
    npm = shutil.which("npm")
    if npm is None:
        require(f"there is no npm to fetch {package} with")
    folder.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="draft-") as draft:
        command = [npm, "install", *OPTIONS, "--prefix", draft, package]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode:
            require(f"npm cannot fetch {package}: {done.stderr.strip()[-300:]}")
        (Path(draft) / "node_modules").rename(folder)
