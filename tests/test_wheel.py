"""Tests of the wheel and the source archive: they bring the whole product, and nothing else."""

import os
import subprocess
import sys
import tarfile
import zipfile
from configparser import ConfigParser
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["banking", "config", "foundation", "mcp_server", "onboarding"]
MOVED = {"templates": "config/templates", "locale": "config/locale"}  # folders within the wheel


def build(folder, target="wheel"):
    """Build the wheel or the source archive into a folder, and return its path."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1800000000"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return next(folder.glob("vestibule-*"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the wheel of this tree."""
    pytest.importorskip("hatchling", reason="hatchling, of requirements-dev.txt, is not installed")
    return build(tmp_path_factory.mktemp("wheel"))


def files_of(folder):
    """Return the paths of the files below a folder of the tree, relative to the tree."""
    files = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return {str(path.relative_to(ROOT)) for path in files if path.parent.name != "__pycache__"}


def test_the_wheel_has_every_file_of_the_product_and_no_other(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}

    expected = {name for package in PACKAGES for name in files_of(package)}
    for folder, moved in MOVED.items():
        expected |= {moved + name.removeprefix(folder) for name in files_of(folder)}
    assert names == expected


def test_the_wheel_brings_two_commands(wheel):
    with zipfile.ZipFile(wheel) as archive:
        entry = next(name for name in archive.namelist() if name.endswith("entry_points.txt"))
        points = ConfigParser()
        points.read_string(archive.read(entry).decode())

    assert set(points["console_scripts"]) == {"vestibule", "vestibule-manage"}


def test_two_builds_of_the_same_files_are_the_same_file(wheel, tmp_path):
    again = build(tmp_path)

    assert sha256(again.read_bytes()).digest() == sha256(wheel.read_bytes()).digest()


def test_the_source_archive_has_what_operators_copy_and_read(wheel, tmp_path):
    with tarfile.open(build(tmp_path, "sdist")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    pages = [
        "backup",
        "monitoring",
        "packaging",
        "production",
        "releasing",
        "reliability",
        "runbook",
    ]
    expected = {f"docs/{page}.md" for page in [*pages, "scale"]}
    for folder in ("docs/monitoring", "docs/production", "docs/systemd"):
        expected |= files_of(folder)
    assert expected - names == set()
