"""Tests of `make sbom` and `make audit`, run with the tools that they install."""

import json
import os
import re
import shutil
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

ROOT = Path(__file__).resolve().parent.parent
PIN = re.compile(r"^([a-z0-9._-]+)==([^\s;]+)", re.MULTILINE)
UNREACHABLE = "http://127.0.0.1:9/v1/query"


@pytest.fixture
def make(tmp_path):
    """Run make in a folder with a copy of its files and with chosen requirements."""
    for name in ["Makefile", "pyproject.toml", "requirements-audit.txt"]:
        shutil.copy2(ROOT / name, tmp_path)  # a newer requirements-audit.txt would be installed
    for name in ["requirements", "requirements-s3", "requirements-tracing"]:
        (tmp_path / f"{name}.txt").touch()
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}

    def run(*words):
        return subprocess.run(
            ["make", f"VENV={sys.prefix}", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    if run("--question", f"{sys.prefix}/audit/.installed").returncode:
        pytest.skip("the tools are not installed: make sbom")
    return run


@pytest.fixture
def advisories():
    """Serve a database of advisories that has one, of version 1.0 of the package sample."""

    class Database(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            is_known = (asked["package"]["name"], asked["version"]) == ("sample", "1.0")
            body = json.dumps({"vulns": [ADVISORY]} if is_known else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Database) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()


ADVISORY = {
    "id": "PYSEC-2026-1",
    "summary": "A fault of the package sample.",
    "published": "2026-01-05T00:00:00Z",
    "modified": "2026-01-05T00:00:00Z",
    "affected": [
        {
            "package": {"name": "sample", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}],
        }
    ],
}


def test_the_sbom_names_each_runtime_requirement_with_its_version(make, tmp_path):
    shutil.copy2(ROOT / "requirements.txt", tmp_path)

    done = make("sbom")

    assert done.returncode == 0, done.stderr
    sbom = json.loads((tmp_path / "var" / "sbom-requirements.json").read_text())
    assert sbom["bomFormat"] == "CycloneDX"
    pins = PIN.findall((ROOT / "requirements.txt").read_text())
    assert sorted((one["name"], one["version"]) for one in sbom["components"]) == sorted(pins)
    assert {"django", "granian", "cryptography"} < dict(pins).keys()
    assert all(one["purl"].startswith("pkg:pypi/") for one in sbom["components"])
    files = sorted(file.name for file in (tmp_path / "var").iterdir())
    assert files == [
        "sbom-requirements-s3.json",
        "sbom-requirements-tracing.json",
        "sbom-requirements.json",
    ]


def test_an_audit_is_skipped_with_a_warning_where_no_database_can_be_reached(make, tmp_path):
    require(tmp_path, "sample==1.0")

    done = make("audit", f"ADVISORIES={UNREACHABLE}")

    assert done.returncode == 0
    assert "WARNING: not audited, the advisory database cannot be reached" in done.stderr


def test_an_audit_fails_for_an_advisory_of_a_requirement_and_for_no_other(
    make, tmp_path, advisories
):
    require(tmp_path, "sample==1.0")
    found = make("audit", f"ADVISORIES={advisories}")
    require(tmp_path, "sample==1.1")
    clean = make("audit", f"ADVISORIES={advisories}")

    assert found.returncode != 0
    assert "PYSEC-2026-1" in found.stdout + found.stderr
    assert clean.returncode == 0, clean.stderr
    assert "WARNING" not in clean.stderr


def require(folder, pin):
    (folder / "requirements-s3.txt").write_text(f"{pin} \\\n    --hash=sha256:{'0' * 64}\n")
