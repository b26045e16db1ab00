"""Creating leads without a server: what the database and its driver alone allow.

`python -m bench.peers.raw_psycopg SECONDS < facts.json`, facts being `access_key`, `secret`, `body`
and `first`, the number to count up from. One process checks the key and writes the rows, each by
one prepared statement, again and again, and prints JSON: `requests`, `seconds`, `cpu_seconds`,
`milliseconds` of each, and `memory` in bytes.
"""

import json
import os
import resource
import sys
import time
from datetime import UTC, datetime

import orjson
import psycopg

from bench.peers import keys
from bench.peers.raw_rows import KEY, insert, new_rows


def run(connection: psycopg.Connection, facts: dict, seconds: float) -> dict:
    """Create leads for so long; return what was counted."""
    statement, taken = insert(), []
    cpu, start = time.process_time(), time.perf_counter()
    while (begun := time.perf_counter()) - start < seconds:
        sent = orjson.loads(facts["body"].replace("{n}", f"alone{facts['first'] + len(taken)}"))
        row = connection.execute(KEY, [facts["access_key"]], prepare=True).fetchone()
        if row is None or not keys.opens(row[0], facts["secret"]):
            raise SystemExit("The key does not open.")
        rows, _access = new_rows(sent, row[4], datetime.now(UTC))
        connection.execute(statement, [orjson.dumps(row).decode() for row in rows], prepare=True)
        taken.append((time.perf_counter() - begun) * 1000)
    return {
        "requests": len(taken),
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "milliseconds": taken,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


if __name__ == "__main__":
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as opened:
        json.dump(run(opened, json.load(sys.stdin), float(sys.argv[1])), sys.stdout)
