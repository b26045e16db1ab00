"""What the back office asks of the database: `python -m bench.queue` (ten minutes).

It makes a database on the PostgreSQL of `--server`, or on one of its own, with 200,000 made-up
applications, and reads each page twice as somebody who may see everything: statements, and the
time that the database itself reports (EXPLAIN ANALYZE, planning included), of the second reading.
The exit status says whether each page stays below 20 statements (a case: 30) and 300 ms.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import django

from bench.create_leads import database
from tests import postgresql

MOST_STATEMENTS, MOST_MILLISECONDS = 20, 300
MOST_OF_A_CASE = 30  # statements: it is no list
LIST = "/admin/onboarding/application/"
PAGES = {
    "home": "/admin/",
    "report": f"{LIST}report/",
    "all": LIST,
    "all, page 150": f"{LIST}?p=150",
    "queue overdue": f"{LIST}?queue=overdue",
    "queue unassigned": f"{LIST}?queue=unassigned",
    "queue mine": f"{LIST}?queue=mine",
    "queue second approval": f"{LIST}?queue=second-approval",
    "queue awaiting applicant": f"{LIST}?queue=awaiting-applicant",
    "status approved": f"{LIST}?status=APPROVED",
    "risk high": f"{LIST}?risk__exact=HIGH",
    "in review for 3 days": f"{LIST}?waiting=3",
    "partner": f"{LIST}?lead__partner__id__exact=1",
    "business type": f"{LIST}?lead__business_type__exact=LLP",
    "unassigned LLCs": f"{LIST}?queue=unassigned&lead__business_type__exact=LLC",
    "by business": f"{LIST}?o=1",
    "search of a name": f"{LIST}?q=harbor+coffee",
    "search of nothing": f"{LIST}?q=zzzz",
    "search of an email": f"{LIST}?q={{email}}",
    "search of an id": f"{LIST}?q={{unique_id}}",
    "search of a customer": f"{LIST}?q={{external_id}}",
    "search of an SSN": "{found}",
    "case": f"{LIST}{{case}}/change/",
}


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--applications", type=int, default=200_000)
    parser.add_argument("--server", help="The URL of a PostgreSQL server; its own unless given.")
    parser.add_argument("--database", help="The URL of a database that is filled already.")
    options = parser.parse_args()
    with prepared(options) as url:
        os.environ["DATABASE_URL"] = url
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
        django.setup()
        if not options.database:
            fill(options.applications)
        return 0 if measure() else 1


@contextmanager
def prepared(options: argparse.Namespace) -> Iterator[str]:
    """Yield the URL of the database to measure; one of its own is dropped afterwards."""
    if options.database:
        yield options.database
    elif options.server:
        with database(options.server) as url:
            yield url
    else:
        with postgresql.throwaway() as server, database(server.url) as url:
            yield url


def fill(count: int) -> None:
    """Make the applications, and let the database look at what it has."""
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    start = time.perf_counter()
    call_command("make_applications", count)
    seconds = time.perf_counter() - start
    sys.stdout.write(f"{count:,} applications made in {seconds:.0f} s\n")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def measure() -> bool:
    """Print what each page takes; say whether all keep within bounds."""
    from django.test import Client

    from banking.models import User
    from bench.explained import explain
    from onboarding.models import Application

    chief = User.objects.filter(email="chief@example.com").first()
    client = Client()
    client.force_login(chief or User.objects.create_superuser("chief@example.com"))
    case = Application.objects.filter(due_at__isnull=False).select_related("lead")[100]
    found = client.post(f"{LIST}find/", {"number": case.lead.ssn}).url
    lead = case.lead
    known = {"email": lead.email, "unique_id": lead.unique_id, "external_id": lead.external_id}
    are_good = []
    for name, pattern in PAGES.items():
        path = pattern.format(case=case.pk, found=found, **known)
        client.get(path)
        asked = explain(lambda path=path: client.get(path))
        took = sum(statement.milliseconds for statement in asked)
        most = MOST_OF_A_CASE if name == "case" else MOST_STATEMENTS
        is_good = len(asked) < most and took < MOST_MILLISECONDS
        are_good.append(is_good)
        mark = "" if is_good else "  too much"
        sys.stdout.write(f"{name:26} {len(asked):3} statements {took:7.1f} ms{mark}\n")
    return all(are_good)


if __name__ == "__main__":
    sys.exit(main())
