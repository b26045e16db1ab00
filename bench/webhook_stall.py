"""Does a partner whose receivers hang stall the others? `python -m bench.webhook_stall`.

Its endpoints answer after 15 s, those of twenty other partners at once; each partner has leads, to
which something happens all the time. Printed is how long events took from the move to the
receiver's answer.
`--write docs/reliability.md` puts the figures into that page.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles

from bench.servers import free_port
from bench.webhook_faults import (
    Program,
    prepare_environment,
    read_expected,
    wait_for,
    write,
    write_events,
)

BEGIN, END = "<!-- stall -->", "<!-- end of the stall -->"


def main() -> None:
    """Run, print the delays, and write them down."""
    options = read_options()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vestibule-stall-")))
        prepare_environment(folder, "", "")
        log, port = folder / "received.jsonl", free_port()
        secret = prepare_rows(options, port)
        for name, module in {
            "receiver": ["bench.webhook_receiver", str(port), str(log), secret],
            "worker": ["config.worker"],
            "beat": ["config.beat"],
        }.items():
            command = [sys.executable, "-m", *module]
            program = Program(command, dict(os.environ), folder / f"{name}.log")
            program.start()
            stack.callback(program.kill)
        report = measure(options, log)
    print(report)  # noqa: T201 - a bench talks
    if options.write:
        write(options.write, report, begin=BEGIN, end=END)


def read_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--healthy", type=int, default=20)
    parser.add_argument("--hanging", type=int, default=10, help="Endpoints of one partner.")
    parser.add_argument("--leads", type=int, default=10, help="Of each partner.")
    parser.add_argument("--hang", type=int, default=15, metavar="SECONDS")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--per-second", type=int, default=20, help="Events, over all leads.")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    return parser.parse_args()


def prepare_rows(options: argparse.Namespace, port: int) -> str:
    """Make the endpoints that hang and the healthy ones, with leads; return their secret."""
    from tests import factories

    base = f"http://127.0.0.1:{port}"
    slow = factories.make_partner()
    for number in range(options.hanging):
        url = f"{base}/hang/{options.hang}/{number}"
        factories.make_webhook(slow, server_url=url)
    healthy = [factories.make_partner() for _ in range(options.healthy)]
    for number, partner in enumerate(healthy):
        factories.make_webhook(partner, server_url=f"{base}/ok/{number}")
    for partner in (slow, *healthy):
        for _ in range(options.leads):
            factories.make_application(factories.make_lead(partner))
    return factories.SIGNING_SECRET


def measure(options: argparse.Namespace, log: Path) -> str:
    """Write events at an even pace, and say how long they took to arrive."""
    write_events((options.healthy + 1) * options.leads)
    wait_for(log, options.healthy * options.leads)  # until then, programs start up
    warm = read_expected().keys()
    began = time.monotonic()
    for second in range(options.seconds):
        write_events(options.per_second, first=second * options.per_second)
        time.sleep(max(0.0, began + second + 1 - time.monotonic()))
    time.sleep(3)
    caused = read_expected()
    delays: dict[bool, list[float]] = {True: [], False: []}
    for line in map(json.loads, log.read_text().splitlines()):
        if line["webhook_id"] in warm:
            continue
        is_healthy = not line["path"].startswith("/hang")
        delays[is_healthy].append(line["at"] - caused[line["webhook_id"]])
    healthy, hanging = sorted(delays[True]), delays[False]
    return "\n".join(
        [
            f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, SQLite: {options.healthy} "
            f"healthy endpoints, and a partner with {options.hanging} that answer after "
            f"{options.hang} s; {options.per_second} events a second over {options.leads} leads "
            f"each, for {options.seconds} s.",
            "",
            "| healthy endpoints | |",
            "|---|---|",
            f"| events that arrived | {len(healthy):,} |",
            f"| delay, median | {median(healthy):.2f} s |",
            f"| delay, 99th percentile | {quantiles(healthy, n=100)[98]:.2f} s |",
            f"| delay, longest | {healthy[-1]:.2f} s |",
            f"| meanwhile the hanging ones took | {len(hanging)} |",
        ]
    )


if __name__ == "__main__":
    main()
