"""How many leads a second are created: `python -m bench.create_leads` (two minutes at most).

It starts the whole service on SQLite, and on PostgreSQL where the tests find one, and sends new
leads with two owners over kept connections. CPU is that of the service's own processes; what the
database server spends is not in it. Machines differ: compare figures of one run.
"""

import argparse
import itertools
import json
import secrets
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from statistics import median, quantiles
from urllib.parse import urlsplit

import psycopg

from bench.service import Service, running_service
from tests import postgresql
from tests.bodies import lead_body

NUMBERS = itertools.count(1)


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--leads", type=int, default=1600, help="Per round (1600).")
    parser.add_argument("--connections", type=int, default=8, help="At the same time (8).")
    parser.add_argument("--rounds", type=int, default=5, help="After a warm-up (5).")
    options = parser.parse_args()
    measure("SQLite", "", options)
    try:
        with postgresql.server() as server, database(server.url) as url:
            measure("PostgreSQL", url, options)
    except postgresql.Unavailable as exc:
        sys.stdout.write(f"PostgreSQL  not measured: {exc}\n")
    return 0


@contextmanager
def database(server_url: str) -> Iterator[str]:
    """Yield the URL of a fresh database, which is dropped afterwards."""
    name = f"vestibule_bench_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(
            psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name))
        )
    try:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        postgresql.drop_databases(server_url, name)


def measure(title: str, url: str, options: argparse.Namespace) -> None:
    """Print the medians of the rounds on one database."""
    with running_service(url) as service:
        one_round(service, options)
        rounds = [one_round(service, options) for _ in range(options.rounds)]
    per_second, per_cpu_second, p50, p99 = (
        median(figures) for figures in zip(*rounds, strict=True)
    )
    speeds = [figures[0] for figures in rounds]
    sys.stdout.write(
        f"{title:11} {per_second:6.0f} creates a second ({min(speeds):.0f} to {max(speeds):.0f})"
        f"   {per_cpu_second:6.0f} per CPU-second   p50 {p50:5.1f} ms   p99 {p99:5.1f} ms\n"
    )


def one_round(service: Service, options: argparse.Namespace) -> tuple[float, float, float, float]:
    """Create leads; return them per second and per CPU-second, and p50 and p99 in ms."""
    each = options.leads // options.connections
    cpu, start = service.cpu_seconds(), time.perf_counter()
    with ThreadPoolExecutor(options.connections) as pool:
        taken = list(pool.map(lambda _: create(service, each), range(options.connections)))
    seconds = time.perf_counter() - start
    times = [milliseconds for of_thread in taken for milliseconds in of_thread]
    shares = quantiles(times, n=100)
    return (
        len(times) / seconds,
        len(times) / (service.cpu_seconds() - cpu),
        shares[49],
        shares[98],
    )


def create(service: Service, number: int) -> list[float]:
    """Create leads one after another; return how long each took, in ms."""
    times = []
    with closing(HTTPConnection("127.0.0.1", service.port, timeout=60)) as connection:
        for lead in itertools.islice(NUMBERS, number):
            body = lead_body(email=f"lead{lead}@example.com", uniqueId=f"crm-{lead}")
            del body["documentDataList"], body["documentUrls"]
            sent = json.dumps(body).encode()
            start = time.perf_counter()
            connection.request("PUT", "/service/api/v1/lead", sent, service.headers())
            response = connection.getresponse()
            answer = response.read()
            times.append((time.perf_counter() - start) * 1000)
            if response.status != 201:
                raise RuntimeError(f"{response.status} {answer[:500]!r}")
    return times


if __name__ == "__main__":
    sys.exit(main())
