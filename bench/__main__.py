"""All benchmarks, side by side: `make bench`, or `python -m bench PART …` for some of them.

Each part is a module with a process of its own. Its headlines replace its rows in
`docs/performance.md`, its details replace its section in `docs/performance-details.md`. A part that
fails keeps its old figures, and the exit status counts the failed parts.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version

import psutil
import psycopg

from bench import databases
from bench.reports import Headline, Report, replace_headlines, replace_section
from bench.servers import REQUIREMENTS, ROOT, peer_python

PARTS = ("leads", "documents", "tools", "webhooks", "exports", "growth", "feed", "sandbox")
QUESTIONS = "questions"  # measures answers, not speed; writes into docs/assistants.md
HEADLINES = ROOT / "docs" / "performance.md"
DETAILS = ROOT / "docs" / "performance-details.md"
PROGRAM = """\
import dataclasses, json, sys
from bench.{part} import run
sys.stdout.write(json.dumps(dataclasses.asdict(run())))
"""
PEERS = ("fastapi", "sqlalchemy", "asyncpg", "uvicorn", "django-ninja", "fastmcp")
PACKAGES = ("django", "djangorestframework", "psycopg", "granian", "mcp", "celery", "reportlab")


def main() -> int:
    """Run the parts; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; or {QUESTIONS} alone"
    )
    asked = parser.parse_args().parts or PARTS
    if asked == [QUESTIONS]:
        return import_module(f"bench.{QUESTIONS}").main()  # type: ignore[no-any-return]  # a module by its name
    if unknown := set(asked).difference(PARTS):
        parser.error(f"There is no part {', '.join(sorted(unknown))}.")
    peer_python()
    with databases.server():
        failed = [part for part in asked if not run(part)]
    sys.stderr.write(f"failed: {', '.join(failed)}\n" if failed else "")
    return len(failed)


def run(part: str) -> bool:
    """Run a part, print its report and write it to the documents; return whether it succeeded."""
    title, start = import_module(f"bench.{part}").TITLE, time.monotonic()
    command = [sys.executable, "-c", PROGRAM.format(part=part)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    took = time.monotonic() - start
    sys.stderr.write(f"{part}: {took:.0f} s, exit status {done.returncode}\n")
    if done.returncode == 0:
        output = json.loads(done.stdout)
        report = Report([Headline(**line) for line in output["headlines"]], output["details"])
        sys.stdout.write(f"## {title}\n\n{report.text(title)}\n")
        replace_headlines(HEADLINES, title, report.headlines)
        replace_section(DETAILS, title, f"{circumstances(part)}\n\n{report.details}")
    return done.returncode == 0


def circumstances(part: str) -> str:
    """Return when, where and with what it was measured."""
    ours = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    pinned = dict(
        re.findall(r"^([\w-]+)(?:\[.*\])?==([\w.]+)", REQUIREMENTS.read_text(), re.MULTILINE)
    )
    theirs = ", ".join(f"{package} {pinned[package]}" for package in PEERS)
    return (
        f"Measured {datetime.now(UTC).date()} by `python -m bench {part}` on {machine()}; "
        f"{postgresql()}, Python {platform.python_version()}, {ours}; peers: {theirs}."
    )


def postgresql() -> str:
    """Return the version of the server that the parts share."""
    with databases.server() as url, psycopg.connect(url) as connection:
        return f"PostgreSQL {connection.info.parameter_status('server_version')}"


def machine() -> str:
    """Return what the machine has, without its name."""
    memory = round(psutil.virtual_memory().total / 2**30)
    return f"{platform.system()} with {os.cpu_count()} cores and {memory} GiB"


if __name__ == "__main__":
    sys.exit(main())
