"""The databases that benchmarks fill: fresh ones with all tables, dropped afterwards."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psutil
import psycopg
from psycopg.sql import SQL, Identifier

from bench.servers import ROOT
from tests import postgresql

SERVER = "BENCH_SERVER_URL"
SETTINGS = (
    "synchronous_commit=on",  # or VACUUM would not know at once what everybody sees
    "shared_preload_libraries=pg_stat_statements",
    "shared_buffers=512MB",
    "max_wal_size=8GB",
    "work_mem=16MB",
)
TEMPLATE = "vestibule_bench"


@contextmanager
def server(*more: str) -> Iterator[str]:
    """Yield the URL of a PostgreSQL server of the benchmark, which all its programs share.

    `more` are settings besides SETTINGS, or instead of them.
    """
    if started := os.environ.get(SERVER):
        yield started
        return
    with postgresql.throwaway(*SETTINGS, *more) as throwaway:
        _make_template(throwaway.url)
        os.environ[SERVER] = throwaway.url
        try:
            yield throwaway.url
        finally:
            del os.environ[SERVER]


@contextmanager
def database() -> Iterator[str]:
    """Yield the URL of a fresh database with all tables, which is dropped afterwards."""
    name = f"{TEMPLATE}_{secrets.token_hex(4)}"
    with server() as url:
        _create(url, name, TEMPLATE)
        try:
            yield _named(url, name)
        finally:
            postgresql.drop_databases(url, name)


def postmaster(url: str) -> psutil.Process:
    """Return the process of a local server that all its others are children of."""
    with psycopg.connect(url) as connection:
        return psutil.Process(connection.info.backend_pid).parent() or psutil.Process()


@contextmanager
def in_database() -> Iterator[None]:
    """Let Django, which is set up, work in a fresh database with all tables."""
    from django.db import connection

    with database() as url:
        connection.close()
        connection.settings_dict.update(NAME=urlsplit(url).path.lstrip("/"))
        try:
            yield
        finally:
            connection.close()


def _make_template(url: str) -> None:
    _create(url, TEMPLATE, "template1")
    environment = {
        "DATABASE_URL": _named(url, TEMPLATE),
        "DJANGO_SETTINGS_MODULE": "config.settings_test",
    }
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=True)


def _create(url: str, name: str, template: str) -> None:
    create = SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(create)


def _named(url: str, name: str) -> str:
    return urlsplit(url)._replace(path=f"/{name}").geturl()
