"""Find a PostgreSQL to test on: one that was named, one that runs, or a throwaway of our own."""

import getpass
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg

from config import processes

OLDEST = 14  # Source: https://docs.djangoproject.com/en/5.2/ref/databases/#postgresql-notes
LOOPBACK = "127.0.0.1:5432"
FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200"]


class Unavailable(Exception):
    """No PostgreSQL can be had there; the text says why."""


@dataclass(frozen=True)
class Server:
    """A PostgreSQL that lets us create databases."""

    url: str
    origin: str


@contextmanager
def server() -> Iterator[Server]:
    """Yield a server. Raises: Unavailable, with every reason."""
    if named := os.environ.get("TEST_DATABASE_URL"):
        _probe(named)
        yield Server(named, "TEST_DATABASE_URL")
        return
    try:
        found = _running()
    except Unavailable as missing:
        with _throwaway(missing) as found:
            yield found
    else:
        yield found


@contextmanager
def throwaway(*settings: str) -> Iterator[Server]:
    """Yield a server of our own, with more settings. Raises: Unavailable."""
    with _throwaway(Unavailable("a server of our own is wanted"), settings) as found:
        yield found


def drop_databases(url: str, prefix: str) -> None:
    """Drop what an interrupted run left behind."""
    with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
        query = "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
        for (name,) in connection.execute(query, [prefix]).fetchall():
            drop = psycopg.sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
            connection.execute(drop.format(psycopg.sql.Identifier(name)))


def _probe(url: str) -> None:
    query = "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            version = connection.info.server_version // 10_000
            may_create = connection.execute(query).fetchone()
    except psycopg.OperationalError as exc:
        raise Unavailable(str(exc).splitlines()[0].rpartition("failed: ")[2]) from None
    if version < OLDEST:
        raise Unavailable(f"PostgreSQL {version} is older than {OLDEST}")
    if may_create != (True,):
        raise Unavailable("the role may not create databases")


def _running() -> Server:
    reasons = {}
    for user in dict.fromkeys([os.environ.get("PGUSER"), "postgres", getpass.getuser()]):
        if user is None:
            continue
        password = os.environ.get("PGPASSWORD")
        account = quote(user, safe="") + (f":{quote(password, safe='')}" if password else "")
        try:
            _probe(url := f"postgres://{account}@{LOOPBACK}/postgres")
        except Unavailable as exc:
            reasons[user] = str(exc)
        else:
            return Server(url, f"the server on {LOOPBACK}, as {user}")
    raise Unavailable(f"{LOOPBACK} lets nobody in ({next(iter(reasons.values()))})")


@contextmanager
def _throwaway(missing: Unavailable, settings: Sequence[str] = ()) -> Iterator[Server]:
    programs = binaries()
    if programs is None:
        raise Unavailable(f"{missing}, and there are no server binaries of {OLDEST} or newer")
    home = Path(tempfile.mkdtemp(prefix="vestibule-postgresql-"))
    try:
        make_cluster(home)
        with serving(home, *settings) as url:
            yield Server(url, f"a throwaway of {programs}")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def make_cluster(home: Path) -> None:
    """Make a cluster in `home`/data, of a superuser `vestibule`. Raises: Unavailable."""
    if account := account_of_server():
        os.chown(home, account["user"], account["group"])
    options = ["-U", "vestibule", "-A", "trust", "-E", "UTF8", "-N"]
    run_program(home, "initdb", "-D", home / "data", *options)


def run_program(home: Path, name: str, *arguments: str | Path) -> str:
    """Run a program of PostgreSQL in `home`, as the user of the server. Raises: Unavailable."""
    done = subprocess.run(
        [binaries() / name, *arguments],
        capture_output=True, text=True, check=False, cwd=home,
        env={**os.environ, "LC_ALL": "C"}, **account_of_server(),
    )  # fmt: skip
    if done.returncode:
        raise Unavailable(f"{name} failed: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def account_of_server() -> dict:
    """Return whom the server runs as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise Unavailable("root may not run PostgreSQL, and there is no user postgres or nobody")


@contextmanager
def serving(home: Path, *wanted: str) -> Iterator[str]:
    """Serve the cluster in `home`/data on a socket in `home`; yield the URL."""
    log = home / "log"
    settings = [f"-c{setting}" for setting in ("listen_addresses=", *FAST, *wanted)]
    with log.open("w") as output:
        process = subprocess.Popen(
            [binaries() / "postgres", "-D", home / "data", "-k", home, *settings],
            stdout=output, stderr=output, preexec_fn=partial(processes.end_with, os.getpid()),
            start_new_session=True,  # so that Ctrl-C reaches the tests first
            cwd=home, env={**os.environ, "LC_ALL": "C"}, **account_of_server(),
        )  # fmt: skip
    try:
        yield _answering(process, f"postgres://vestibule@{quote(str(home), safe='')}/postgres", log)
    finally:
        _stop(process)


def _answering(process: subprocess.Popen, url: str, log: Path) -> str:
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        try:
            _probe(url)
        except Unavailable:
            time.sleep(0.1)
        else:
            return url
    raise Unavailable(f"the throwaway did not start: {log.read_text().strip().splitlines()[-1]}")


def _stop(process: subprocess.Popen) -> None:
    process.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def binaries() -> Path | None:
    """Return the folder of the newest `initdb` and `postgres`."""
    found = [folder for folder in _folders() if (folder / "initdb").exists()]
    versions = {folder: _version(folder / "postgres") for folder in found}
    usable = [folder for folder in found if versions[folder] >= OLDEST]
    return max(usable, key=versions.__getitem__, default=None)


def _folders() -> Iterator[Path]:
    if initdb := shutil.which("initdb"):
        yield Path(initdb).resolve().parent
    if shutil.which("pg_config"):
        shown = subprocess.run(
            ["pg_config", "--bindir"], capture_output=True, text=True, check=True
        )
        yield Path(shown.stdout.strip())
    yield from Path("/usr/lib/postgresql").glob("*/bin")


def _version(postgres: Path) -> int:
    try:
        shown = subprocess.run([postgres, "-V"], capture_output=True, text=True, check=True)
        return int(shown.stdout.split()[2].partition(".")[0])
    except (OSError, subprocess.CalledProcessError, ValueError):
        return 0
