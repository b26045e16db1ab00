"""How long the transaction search takes: `python -m bench.search` (some minutes).

It starts a PostgreSQL of its own, makes one large business among 1,000 others in it, and asks for
pages, counts and summaries as the service does, each with values drawn anew. Times are those that
the database itself reports, planning included: EXPLAIN (ANALYZE, TIMING OFF) of each statement.
The peer is the plain form of the ORM, on the same indexes. With `--write` the figures go into
`docs/performance-details.md`.
"""

import argparse
import os
import sys
from pathlib import Path

from bench import databases, parts
from bench.reports import replace_section


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", default="10000,1000000", help="Of the large business.")
    parser.add_argument("--draws", type=int, default=8, help="Per filter, size and place (8).")
    parser.add_argument("--only", help="Measure this filter alone.")
    parser.add_argument("--write", type=Path, help="The document whose section is replaced.")
    options = parser.parse_args()
    with databases.server() as url:
        text = measured(url, options)
    sys.stdout.write(text)
    if options.write:
        from bench.search_report import TITLE

        replace_section(options.write, TITLE, text)
    return 0


def measured(url: str, options: argparse.Namespace) -> str:
    """Return the report of a run on a server."""
    os.environ["DATABASE_URL"] = url
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    parts.set_up()
    from bench import search_measures, search_report

    names = [name for name in search_measures.FILTERS if options.only in (None, name)]
    sizes = [int(size) for size in options.sizes.split(",")]
    return search_report.report(
        [search_measures.measure(size, names, options.draws) for size in sizes]
    )


if __name__ == "__main__":
    sys.exit(main())
