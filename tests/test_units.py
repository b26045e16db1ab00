"""Tests of the files that start the programs: systemd units, Containerfile and compose.yaml."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.browsing import require

ROOT = Path(__file__).resolve().parent.parent
UNITS = ROOT / "docs" / "systemd"
SHARED = UNITS / "vestibule-.service.d" / "common.conf"
PROGRAM = re.compile(r"/opt/vestibule/bin/[\w-]+")
FILES = [SHARED, *sorted(UNITS.glob("*.service")), ROOT / "compose.yaml", ROOT / "Containerfile"]


def test_systemd_finds_no_fault_in_the_units(tmp_path):
    analyze = shutil.which("systemd-analyze") or require("systemd-analyze is not installed")
    shutil.copytree(UNITS, tmp_path, dirs_exist_ok=True)
    names = []
    for unit in [*tmp_path.glob("*.service"), *tmp_path.glob("*.timer")]:
        unit.write_text(PROGRAM.sub("/usr/bin/env", unit.read_text()))  # the wheel is not installed
        names.append(unit.name.replace("@", "@8000"))

    done = subprocess.run(
        [analyze, "verify", *names],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert [line for line in done.stderr.splitlines() if "vestibule" in line] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_each_variable_of_a_secret_file_is_a_setting(file):
    settings = (ROOT / "config" / "settings.py").read_text()
    named = re.findall(r"\b([A-Z][A-Z_]+_FILE)[=:]", file.read_text())

    unknown = {
        name
        for name in named
        if f'"{name}"' not in settings and f'"{name.removesuffix("_FILE")}"' not in settings
    }

    assert unknown <= {"ALIVE_FILE", "POSTGRES_PASSWORD_FILE"}


@pytest.mark.parametrize("unit", sorted(UNITS.glob("*.service")), ids=lambda unit: unit.name)
def test_each_credential_of_a_unit_is_named_by_a_variable(unit):
    text = SHARED.read_text() + unit.read_text()

    loaded = set(re.findall(r"^LoadCredential=([\w.-]+):", text, re.MULTILINE))
    used = set(re.findall(r"=%d/([\w.-]+)", text))

    assert loaded == used


def test_hadolint_finds_no_fault_in_the_containerfile():
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    hadolint = shutil.which("hadolint", path=path) or require("hadolint is not installed")

    done = subprocess.run(
        [hadolint, ROOT / "Containerfile"], capture_output=True, text=True, check=False
    )

    assert done.stdout + done.stderr == ""


def test_the_image_takes_every_file_of_the_wheel():
    ignored = (ROOT / ".containerignore").read_text()
    taken = set(re.findall(r"^!(\S+)", ignored, re.MULTILINE))

    assert ignored == (ROOT / ".dockerignore").read_text()
    assert {"banking", "config", "foundation", "mcp_server", "onboarding"} <= taken
    assert {"templates", "locale", "LICENSE", "pyproject.toml"} <= taken
