"""`manage.py up`: start the web server, a worker and beat."""

import fcntl
import gc
import importlib
import os
import signal
import socket
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connections
from django.db.migrations.executor import MigrationExecutor
from django.urls import get_resolver
from django.utils import timezone

from banking.services.deployments import SecretsDiffer
from config import (
    celery,
    database_limits,
    demo,
    deployment,
    folders,
    health,
    processes,
    supervisor,
)
from config.processes import ForkedCall
from config.supervisor import Program

CHOOSE_PORT = "PORT=<number> vestibule up" if folders.IS_INSTALLED else "make run PORT=<number>"
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
START_TIMEOUT_SECONDS = 60.0  # time limit for the web server to respond
PROGRAMS: dict[str, Callable[[], None]] = {
    "web": lambda: importlib.import_module("config.web").serve(settings.PORT),
    "worker": lambda: importlib.import_module("config.worker").work(),
    "beat": lambda: importlib.import_module("config.beat").run(),
}
STOP_MARGIN = 2  # seconds from the web server's own deadline to SIGKILL


class Command(BaseCommand):
    help = "Migrate, make the sandbox's demo, serve on HOST and work until a signal comes."
    requires_system_checks = []  # the web server fails at start if a view cannot be imported

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--parent", type=int, metavar="PID", help="End when this process, our parent, does."
        )

    def handle(self, *, parent: int | None, **_options: Any) -> None:
        os.umask(0o077)  # files are readable by the owner only
        for number in ENDING:
            signal.signal(number, lambda *_: sys.exit(0))
        if parent:
            processes.end_with(parent)
        if not settings.IS_SANDBOX:
            call_command("check", deploy=True)
        elif settings.IS_LOCAL:
            settings.ALLOW_LOOPBACK = "ALLOW_LOOPBACK" not in os.environ or settings.ALLOW_LOOPBACK
        programs: list[Program] = []
        try:
            with one_at_a_time(settings.DATA_DIR):
                news = self._start(programs)
            self._tell(f"Vestibule serves on {settings.BASE_URL} (Ctrl-C stops it).{news}")
            supervisor.watch(programs, self.stderr.write)
        finally:
            for number in ENDING:
                signal.signal(number, signal.SIG_IGN)
            supervisor.stop(programs, patience=stop_patience())

    def _start(self, programs: list[Program]) -> str:
        """Prepare the data, start the programs, and return the text to print."""
        refuse_taken_port(settings.PORT)
        settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
        connections.close_all()  # forks must not share a connection
        preparation = ForkedCall(self._prepare)
        try:
            import_programs()
            news = preparation.result()
        finally:
            preparation.end()
        programs.append(program("web"))
        wait_until_served(programs[0])
        programs.append(program("worker"))
        programs.append(program("beat"))
        return news

    def _prepare(self) -> str:
        """Migrate, make the sandbox's demo, and return the text to print."""
        deployment.verify_commands()  # before migrating a database of other secrets
        migrate(self._tell)
        deployment.require_secrets_of_database()
        return self._demo() if settings.IS_SANDBOX else ""

    def _tell(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _demo(self) -> str:
        file = settings.DATA_DIR / "demo.env"
        if not file.exists():
            self._tell("Making the demo bank and its applications. This takes a minute.")
        demo.load_bank()
        demo.load_applications()
        facts, are_new = demo.prepare(file, at=timezone.now())
        if are_new:
            return first_words(facts, file)
        return f" Assistants: {facts['MCP_URL']} Keys and sign-ins: {shown(file)}"


def stop_patience() -> float:
    """Return the time limit for the programs to end. Units: seconds."""
    needed = settings.DRAIN_SECONDS + settings.STOP_SECONDS + STOP_MARGIN
    return max(supervisor.STOP_TIMEOUT_SECONDS, needed)


def import_programs() -> None:
    """Import the modules of web, worker and beat, so that their forks share the memory of these."""
    gc.disable()  # modules stay: looking for garbage among them takes a third of the time
    get_resolver().url_patterns  # noqa: B018 - imports every view
    celery.app.loader.import_default_modules()
    gc.collect()
    gc.freeze()  # the collector would write to the shared memory
    gc.enable()


def program(name: str) -> Program:
    """Start one of the PROGRAMS in a fork of this process, and return it."""
    return Program(name, partial(run, name))


def run(name: str) -> None:
    """Run one of the PROGRAMS in this process, a fork, until a signal ends it."""
    database_limits.become(name)
    if settings.METRICS_PORT:  # each program has one of its own
        settings.METRICS_PORT += list(PROGRAMS).index(name)
    if settings.TRACING:
        from config import tracing

        tracing.switch_on()
    PROGRAMS[name]()


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Lock the data folder, so that no two processes migrate or bind the port at once."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "up.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # the programs inherited the open file


def refuse_taken_port(port: int) -> None:
    """Check that the port can be bound. Raises: CommandError."""
    family = socket.AF_INET6 if ":" in settings.HOST else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.HOST, port))
        except (OSError, OverflowError) as exc:
            reason = exc.strerror if isinstance(exc, OSError) else "there is no such port"
            raise CommandError(
                f"Port {port} cannot be had: {reason}. Choose another: {CHOOSE_PORT}"
            ) from None


def migrate(tell: Callable[[str], None]) -> None:
    """Apply pending migrations, and `tell` how many there are before.

    Raises: CommandError if the database is unreachable, or belongs to other secrets.
    """
    try:
        executor = MigrationExecutor(connections["default"])
    except SecretsDiffer as exc:  # a subclass of OperationalError
        raise CommandError(str(exc)) from None
    except OperationalError as exc:
        raise CommandError(f"The database cannot be had: {str(exc).splitlines()[0]}") from None
    if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        tell(f"Preparing the database: {len(plan)} migrations.")
        call_command("migrate", interactive=False, verbosity=0)


def wait_until_served(web: Program) -> None:
    """Wait until the web server responds. Raises: CommandError if it ends or times out."""
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline and web.is_running:
        if health.is_served(settings.PORT):
            return
        time.sleep(0.05)
    raise CommandError("The web server did not start.")


def first_words(facts: dict[str, str], file: Path) -> str:
    """Return the addresses and credentials of a new sandbox, secrets included."""
    return f"""

  Lead API       {facts["BASE_URL"]}/service/api/v1/lead
  Documentation  {facts["BASE_URL"]}/service/api/v1/docs
  Access key     {facts["ACCESS_KEY"]}
  Secret key     {facts["SECRET_KEY"]}
  Back office    {facts["BASE_URL"]}/admin/
                 {facts["ADMIN_USER"]}  {facts["ADMIN_PASSWORD"]}
  A reviewer     {facts["REVIEWER_USER"]}  {facts["REVIEWER_PASSWORD"]}
  An approver    {facts["APPROVER_USER"]}  {facts["APPROVER_PASSWORD"]}
  Second admin   {facts["ADMINISTRATOR_USER"]}  {facts["ADMINISTRATOR_PASSWORD"]}
  Operations     {facts["OPERATIONS_USER"]}  {facts["OPERATIONS_PASSWORD"]}

  Assistants     {facts["MCP_URL"]}
  How to         {facts["BASE_URL"]}/connect
  As an owner    {facts["OWNER_EMAIL"]}  {facts["OWNER_PASSWORD"]}
  An accountant  {facts["ACCOUNTANT_EMAIL"]}  {facts["ACCOUNTANT_PASSWORD"]}

This is shown once; {shown(file)} keeps it. Register a lead:

  {demo.curl(facts)}
"""


def shown(file: Path) -> str:
    """Return the path relative to the working directory, if below it."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)
