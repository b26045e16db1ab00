"""The databases that benchmarks fill: fresh ones, dropped afterwards."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg

from tests import postgresql


@contextmanager
def database(server_url: str) -> Iterator[str]:
    """Yield the URL of a fresh database on a server, which is dropped afterwards."""
    name = f"vestibule_bench_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(
            psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name))
        )
    try:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        postgresql.drop_databases(server_url, name)
