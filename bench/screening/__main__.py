"""How many listed names the screening finds: `python -m bench.screening` (a minute).

It makes a list of invented names and a labelled set of queries, the same ones each time, loads the
list into a database of its own and looks for each name. `--write` puts the table into
`docs/screening.md`; figures of an earlier matching, in `before.csv`, stand beside the new ones.
The exit status says whether the goals hold.
"""

import argparse
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import django

from bench.screening import measures

MADE_AT = datetime(2026, 6, 1, tzinfo=UTC)
DOCUMENT = Path(__file__).parents[2] / "docs" / "screening.md"


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="Write the table of the document.")
    parser.add_argument("--keep", type=Path, help="Write the figures into this CSV file.")
    parser.add_argument("--misses", action="store_true", help="Print names that were missed.")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    result = measure()
    text = measures.to_table(result, measures.read_former())
    sys.stdout.write(text)
    if options.misses:
        sys.stdout.write("".join(f"{query}\n" for query in result.wrong))
    if options.keep:
        measures.keep(result, options.keep)
    if options.write:
        measures.write_table(DOCUMENT, text)
    return int(not measures.holds(result))


def measure() -> measures.Result:
    """Load the list, look for each name, and return the counts."""
    from bench.screening import labelled
    from onboarding.models import SanctionsList
    from onboarding.screening.sanctions import read_index
    from onboarding.services.checks import sanctions

    made = labelled.make()
    with tempfile.TemporaryDirectory() as folder:
        sanctions.load_list(made.write_list(Path(folder)), at=MADE_AT)
    index = read_index(SanctionsList.objects.get()).index
    result = measures.Result(
        entries=len(made.people) + len(made.companies), names=len(index.listed)
    )
    for query in made.queries:
        start = time.process_time()
        hits = index.search(query.name, is_person=query.is_person)
        taken = (time.process_time() - start) * 1_000
        result.add(query, {hit.entry for hit in hits}, taken)
    return result


if __name__ == "__main__":
    sys.exit(main())
