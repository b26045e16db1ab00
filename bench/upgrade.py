"""Is a request lost by an upgrade? `python -m bench.upgrade` (ten minutes).

Two web servers, a worker and beat run the last release behind HAProxy, then behind nginx, with
the files of docs/production. Under a steady load the new code migrates, and then replaces one
program after the other; then the release takes over again, on the new schema: a rollback. The
new code is HEAD and five more migrations, which change the tables that the load uses.

`--write docs/reliability.md` puts the figures into that page.
"""

import argparse
import json
import os
import platform
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg.sql import SQL, Identifier

from bench.servers import free_port
from bench.upgrade_load import CALL, CREATE, READ, Load
from bench.webhook_faults import Program, accepted, broker_of, write
from config import development_secrets
from tests import postgresql, releases
from tests.proxies import Proxy, is_installed

BEGIN, END = "<!-- upgrade -->", "<!-- end of the upgrade -->"
TIMEOUT_SECONDS = 600.0
PROXIES = ["haproxy.cfg", "nginx.conf"]
WEBS = ["web1", "web2"]
PREPARE = """
import json, sys, django
django.setup()
from django.utils import timezone
from mcp_server.scopes import Scope
from mcp_server.services.connections import issue_token
from tests import factories
now = timezone.now()
partner = factories.make_partner()
key = factories.make_api_key(partner)
factories.make_webhook(partner, server_url=sys.argv[1])
user = factories.make_user(user_type="BUSINESS")
owner = factories.make_business_owner(user=user)
account = factories.make_account(owner.business)
for cents in range(1000, 3000, 100):
    factories.make_transaction(account, cents, at=now)
print(json.dumps({
    "authorization": f"Vestibule {key.key.access_key}:{key.secret}",
    "token": issue_token(user, client_name="bench", scopes=Scope.values, at=now),
    "signing_secret": factories.SIGNING_SECRET,
}))
"""
TEMPLATE = """
import django
django.setup()
from tests import templates
print(templates.name_on_server())
"""
MIGRATIONS = {  # what the new code adds, besides its own migrations
    "9995_lead_note": """
class Migration(migrations.Migration):
    dependencies = [("onboarding", "{before}")]
    operations = [
        migrations.AddField("lead", "note", models.CharField(max_length=40, db_default="")),
    ]
""",
    "9996_event_note": """
class Migration(migrations.Migration):
    dependencies = [("onboarding", "9995_lead_note")]
    operations = [
        migrations.AddField("event", "note", models.CharField(max_length=40, null=True)),
    ]
""",
    "9997_note_known": """
class Migration(migrations.Migration):
    dependencies = [("onboarding", "9996_event_note")]
    operations = [
        AddConstraintNotValid("lead", models.CheckConstraint(
            name="lead_note_known", condition=~models.Q(note="unknown"))),
    ]
""",
    "9998_note_index": """
class Migration(migrations.Migration):
    atomic = False
    dependencies = [("onboarding", "9997_note_known")]
    operations = [
        AddIndexConcurrently("lead", models.Index(name="lead_note", fields=["note"])),
        AddIndexConcurrently("event", models.Index(name="event_note", fields=["note"])),
    ]
""",
    "9999_note_valid": """
class Migration(migrations.Migration):
    dependencies = [("onboarding", "9998_note_index")]
    operations = [ValidateConstraint("lead", "lead_note_known")]
""",
}
HEAD = """\
from django.db import migrations, models
from foundation.database.migration_operations import (
    AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint,
)
"""


@dataclass
class Figures:
    """The requests behind one proxy, and the steps meanwhile; times in seconds."""

    load: Load
    migrate: float
    replaced: list[float]
    undelivered: int


def main() -> int:
    """Upgrade behind each proxy, print the figures and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2_000, help="at least, for each proxy")
    parser.add_argument("--rate", type=float, default=25, help="requests a second")
    parser.add_argument("--proxy", choices=PROXIES, action="append")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vestibule-upgrade-") as name, ExitStack() as stack:
        Path(name).chmod(0o755)
        trial = Trial(Path(name), stack.enter_context(postgresql.server()).url)
        found = {
            proxy: trial.run(proxy, options.requests, options.rate)
            for proxy in options.proxy or PROXIES
            if is_installed(proxy)
        }
    table = describe(found, trial.commit)
    say(table)
    for failure in [line for figures in found.values() for line in figures.load.failures[:20]]:
        say(failure)
    if options.write:
        write(options.write, table, begin=BEGIN, end=END)
    return int(any(one.load.failures or one.undelivered for one in found.values()))


class Trial:
    """The release and the new code in folders of their own, and a server for databases."""

    def __init__(self, folder: Path, server: str) -> None:
        self.folder, self.server = folder, server
        self.old, self.new = folder / "old", folder / "new"
        for code in (self.old, self.new):
            code.mkdir()
        self.commit = releases.extract_release(self.old)
        releases.extract("HEAD", self.new)
        add_migrations(self.new / "onboarding" / "migrations")
        say("Migrating the release's database …")
        self.environment = {
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "config.settings_test",
            "DATABASE_URL": server,
        }
        self.template = self._python(self.old, "-c", TEMPLATE).strip()

    def run(self, proxy: str, requests: int, rate: float) -> Figures:
        """Upgrade and roll back behind a proxy."""
        folder = self.folder / proxy.partition(".")[0]
        (folder / "static").mkdir(parents=True)
        folder.chmod(0o755)
        development_secrets.write(folder / "secrets.env")
        with ExitStack() as stack:
            url = stack.enter_context(self._database())
            broker, _ = stack.enter_context(broker_of("redis", folder))
            self.environment = {
                "PATH": os.environ["PATH"],
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "DATA_DIR": str(folder),
                "DATABASE_URL": url,
                "CELERY_BROKER_URL": broker,
                "RATE_LIMIT_FACTOR": "0",
                "ALLOW_LOOPBACK": "1",
                "LOG_LEVEL": "WARNING",
            }
            say(f"{proxy} …")
            hooks = free_port()
            facts = json.loads(
                self._python(self.old, "-c", PREPARE, f"http://127.0.0.1:{hooks}/ok")
            )
            log = folder / "received.jsonl"
            receiver = [sys.executable, "-m", "bench.webhook_receiver", str(hooks), str(log)]
            programs = self._programs(folder)
            programs["receiver"] = Program(
                [*receiver, facts["signing_secret"]], self.environment, folder / "receiver.log"
            )
            for program in programs.values():
                program.start()
                stack.callback(program.kill)
            for name in WEBS:
                wait_until_ready(programs[name])
            ports = [int(programs[name].command[-1]) for name in WEBS]
            changes = [(r"hdr Host api\.example\.com", "hdr Host 127.0.0.1")]
            front = Proxy(proxy, folder, ports, changes)
            stack.callback(front.stop)
            front.wait()
            load = Load(front.port, facts["authorization"], facts["token"], rate)
            with load.running():
                migrate, replaced = self._upgrade(programs)
                while sum(load.kinds.values()) < requests:
                    time.sleep(1)
            return Figures(load, migrate, replaced, wait_for_messages(load, log))

    def _upgrade(self, programs: dict[str, Program]) -> tuple[float, list[float]]:
        """Migrate, replace each program by the new code, and each by the release again."""
        time.sleep(5)
        began = time.monotonic()
        say(self._manage(self.new, "migrate", "--verbosity", "1").strip()[-300:])
        migrate, replaced = time.monotonic() - began, []
        for code in (self.new, self.old):
            for name in ("worker", *WEBS, "beat"):
                began = time.monotonic()
                replace(programs[name], code, is_web=name in WEBS)
                replaced.append(time.monotonic() - began)
                say(f"{name} runs {code.name} after {replaced[-1]:.0f} s")
        return migrate, replaced

    def _programs(self, folder: Path) -> dict[str, Program]:
        web = {
            "ALLOW_LOOPBACK": "0",
            "TRUSTED_PROXIES": "1",
            "WEB_WORKERS": "1",
            "DRAIN_SECONDS": "5",
        }
        commands = {name: ["config.web", str(free_port())] for name in WEBS}
        commands |= {"worker": ["config.worker"], "beat": ["config.beat"]}
        return {
            name: Program(
                [sys.executable, "-W", "ignore", "-m", *command],
                {**self.environment, **(web if name in WEBS else {})},
                folder / f"{name}.log",
                self.old,
            )
            for name, command in commands.items()
        }

    def _manage(self, code: Path, *arguments: str) -> str:
        return self._python(code, "manage.py", *arguments)

    def _python(self, code: Path, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=code,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout + (done.stderr if "migrate" in arguments else "")

    @contextmanager
    def _database(self) -> Any:
        """Yield the URL of a database that the release migrated, which is dropped afterwards."""
        name = f"vestibule_upgrade_{secrets.token_hex(4)}"
        with psycopg.connect(self.server, autocommit=True) as connection:
            create = SQL("CREATE DATABASE {} TEMPLATE {}")
            connection.execute(create.format(Identifier(name), Identifier(self.template)))
        try:
            yield urlsplit(self.server)._replace(path=f"/{name}").geturl()
        finally:
            postgresql.drop_databases(self.server, name)


def add_migrations(folder: Path) -> None:
    """Write MIGRATIONS behind the last one of a folder."""
    before = max(path.stem for path in folder.glob("[0-9]*.py"))
    for name, text in MIGRATIONS.items():
        (folder / f"{name}.py").write_text(HEAD + text.replace("{before}", before))


def replace(program: Program, code: Path, *, is_web: bool) -> None:
    """End a program as systemd does, and start it with other code."""
    program.process.send_signal(signal.SIGTERM)
    program.process.wait()
    program.folder = code
    program.start()
    if is_web:
        wait_until_ready(program)


def wait_until_ready(program: Program) -> None:
    """Return once a web server says that it is ready."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    port = int(program.command[-1])
    while time.monotonic() < deadline and program.process.poll() is None:
        with suppress(OSError, HTTPException):
            connection = HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/readyz", headers={"X-Forwarded-Proto": "https"})
            if connection.getresponse().status == 200:
                return
        time.sleep(0.2)
    raise RuntimeError(program.log.read_text()[-3000:])


def wait_for_messages(load: Load, log: Path) -> int:
    """Wait until the webhook was told of each created lead; return how many are missing."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        lines = map(json.loads, log.read_text().splitlines()) if accepted(log) else ()
        if not (missing := set(load.created) - {line["customer"] for line in lines}):
            return 0
        time.sleep(1)
    return len(missing)


def describe(found: dict[str, Figures], commit: str) -> str:
    """Return the figures as a page shows them."""
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}; from commit {commit[:8]}.",
        "",
        "| | " + " | ".join(found) + " |",
        "|---" * (len(found) + 1) + "|",
    ]
    for title, cell in {
        "requests": lambda one: f"{len(one.load.seconds):,}",
        "of these creates, reads, tool calls": lambda one: ", ".join(
            f"{one.load.kinds[kind]:,}" for kind in (CREATE, READ, CALL)
        ),
        "failed": lambda one: f"**{len(one.load.failures)}**",
        "created leads that no webhook message told of": lambda one: f"**{one.undelivered}**",
        "answered after, median": lambda one: f"{median(one.load.seconds) * 1000:.0f} ms",
        "99th percentile": lambda one: f"{quantiles(one.load.seconds, n=100)[98]:.1f} s",
        "longest": lambda one: f"{max(one.load.seconds):.1f} s",
        "`migrate` took": lambda one: f"{one.migrate:.0f} s",
        "programs replaced": lambda one: f"{len(one.replaced)}",
        "a program was replaced within": lambda one: f"{max(one.replaced):.0f} s",
    }.items():
        lines.append(f"| {title} | " + " | ".join(map(cell, found.values())) + " |")
    return "\n".join(lines)


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)  # noqa: T201 - a bench talks


if __name__ == "__main__":
    sys.exit(main())
