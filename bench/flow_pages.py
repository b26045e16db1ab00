"""The processor time and the statements of each page of an application.

`python -m bench.flow_pages` measures on SQLite, and with `--postgresql` on a server of its own. No
template is instrumented, as in production.
"""

import argparse
import os
import sys
import time
from contextlib import nullcontext
from decimal import Decimal
from typing import Any

import django

from bench import databases

ROUNDS = 40
PAGES = ("you", "business", "owners", "owners/add", "owners/ask", "documents", "review")
LIGHTEST = "owners/ask"  # the form with the fewest typed fields


def measure() -> dict[str, tuple[float, int]]:
    """Return the milliseconds of the fastest of some rounds, and the statements, of each page."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    flow = _applicant()
    found: dict[str, list[float]] = {page: [] for page in PAGES}
    for _round in range(ROUNDS):
        for page in PAGES:
            begin = time.process_time()
            response = flow.get(page)
            found[page].append((time.process_time() - begin) * 1_000)
            if response.status_code != 200:
                raise RuntimeError(f"{page}: {response.status_code}")
    measured = {}
    for page in PAGES:
        with CaptureQueriesContext(connection) as captured:
            flow.get(page)
        measured[page] = min(found[page]), len(captured)
    return measured


def _applicant() -> Any:
    """Return the session of an applicant with one other owner, and with nothing missing."""
    from django.utils import timezone

    from tests import factories
    from tests.onboarding.flow.conftest import Flow
    from tests.onboarding.services.leads.test_submissions import ADDRESS, BUSINESS, PERSON

    lead = factories.make_lead(**{**PERSON, **ADDRESS, **BUSINESS, "ssn": "123456789"})
    factories.make_owner(
        lead,
        email="grace@example.com",
        first_name="Grace",
        last_name="Hopper",
        ownership_percent=Decimal(25),
    )
    flow = Flow(factories.make_application(lead, at=timezone.now()))
    flow.come_in()
    return flow


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--postgresql", action="store_true", help="Measure on PostgreSQL.")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    with databases.server() if options.postgresql else nullcontext("") as url:
        os.environ["DATABASE_URL"] = url
        django.setup()
        from django.core.management import call_command

        with databases.in_database() if options.postgresql else nullcontext():
            call_command("migrate", verbosity=0)
            measured = measure()
    lightest = measured[LIGHTEST][0]
    for page, (milliseconds, statements) in measured.items():
        ratio = milliseconds / lightest
        sys.stdout.write(f"{page:12} {milliseconds:5.1f} ms  {ratio:4.2f}  {statements:2}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
