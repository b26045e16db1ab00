"""Programs from PyPI: of exact versions, each in a virtual environment beside the tests' own."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.browsing import require

CACHE = Path(sys.prefix) / "pypi"
UV = Path(sys.executable).with_name("uv")
PYENV = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")  # uv looks in PATH alone


def program(name, *packages, python=sys.executable):
    """Return the path of a program of the first package, `name==version`.

    Skips the test where no such Python is: uv must not download one.
    """
    folder = CACHE / packages[0]
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with (CACHE / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():  # unless another process was faster
                _install(folder, packages, python)
    return str(folder / "bin" / name)


def _install(folder, packages, python):
    if not UV.exists():
        require(f"there is no uv to fetch {packages[0]} with")
    draft = CACHE / "draft"
    shutil.rmtree(draft, ignore_errors=True)
    if _uv("venv", "--no-python-downloads", "--relocatable", "--python", python, draft).returncode:
        pytest.skip(f"{packages[0]} needs Python {python}")
    done = _uv("pip", "install", "--python", draft / "bin" / "python", *packages)
    if done.returncode:
        require(f"uv cannot fetch {packages[0]}: {done.stderr.strip()[-300:]}")
    draft.rename(folder)


def _uv(*arguments):
    command = [UV, *arguments]
    path = os.pathsep.join([os.environ["PATH"], *map(str, PYENV.glob("versions/*/bin"))])
    environment = {**os.environ, "PATH": path}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=600, env=environment
    )
