"""Where the CPU time of a request to the Lead API goes: `python -m bench.samples` (a minute).

The kernel interrupts one process, which answers requests without a server in front, after each few
milliseconds of CPU time; the package of the code that runs then is counted. PostgreSQL is not
included. Names of scenarios as arguments measure only these.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from types import FrameType

from bench import instructions, leads, parts
from bench.databases import database
from bench.servers import ROOT

WARM_UP, ANSWERED = 50, 1000  # requests
INTERVAL = 0.001  # seconds of CPU time, or the tick of the kernel if that is longer
OURS, REST = "Vestibule", "JSON, logs, numbers, the rest"
GROUPS = {
    "django/db/": "models and SQL of Django",
    "django/": "the rest of Django",
    "asgiref/": "the rest of Django",
    "psycopg": "psycopg",
    "rest_framework/": "Django REST framework",
}
COLUMNS = [OURS, *dict.fromkeys(GROUPS.values()), REST]
LIBRARY = re.compile(r"site-packages/(.+)")


def main() -> None:
    """Print a table with the percentage of each package."""
    sys.stdout.write(f"| request | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}\n")
    with database() as url, tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder:
        environment = {**os.environ, **leads.prepare(url, Path(folder))}
        for scenario in sys.argv[1:] or instructions.SCENARIOS:
            command = [sys.executable, "-m", "bench.samples", "--answer", scenario]
            counted = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True, check=True,
            )  # fmt: skip
            sys.stdout.write(counted.stdout)


def _answer(scenario: str) -> None:
    """Answer requests, and print the row of the table."""
    parts.set_up()
    requests = instructions.requests_of(scenario)
    for request in islice(requests, WARM_UP):
        instructions.send(request)
    found = Counter[str]()

    def sample(_signal: int, frame: FrameType | None) -> None:
        if frame is not None:
            found[group_of(frame.f_code.co_filename)] += 1

    signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    for request in islice(requests, ANSWERED):
        instructions.send(request)
    signal.setitimer(signal.ITIMER_PROF, 0)
    sys.stdout.write(f"| {scenario} | {' | '.join(_shares(found))} |\n")


def group_of(file: str) -> str:
    """Return the column of the table to which a source file belongs."""
    if library := LIBRARY.search(file):
        known = (name for start, name in GROUPS.items() if library[1].startswith(start))
        return next(known, REST)
    return OURS if file.startswith(str(ROOT)) else REST


def _shares(found: Mapping[str, int]) -> list[str]:
    return [f"{100 * found.get(column, 0) / sum(found.values()):.0f} %" for column in COLUMNS]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        _answer(sys.argv[2])
    else:
        main()
