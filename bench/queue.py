"""What the back office asks of the database: `python -m bench.queue` (a minute).

It makes a database on a PostgreSQL of its own with 200,000 made-up applications, and reads each
page twice as somebody who may see everything: statements, and the time that the database itself
reports (EXPLAIN ANALYZE, planning included), of the second reading. The exit status says whether
each page stays below 20 statements (a case: 30) and 300 ms.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import django

from bench.databases import database
from tests import postgresql

TITLE = "The back office with 200,000 applications"
FOREWORD = """\
Times are those that the database reports for a page's statements, planning included. Lists stay
below 20 statements and 300 ms; the page of a case is no list. There are {applications:,}
applications with {events:,} events{made_in}: {made:,} are made up, the others are copies with keys
and addresses of their own.
"""
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


@dataclass(frozen=True)
class Page:
    """What a page took of the database."""

    name: str
    statements: int
    milliseconds: float

    @property
    def is_good(self) -> bool:
        """Say whether it keeps within bounds."""
        most = MOST_OF_A_CASE if self.name == "case" else MOST_STATEMENTS
        return self.statements < most and self.milliseconds < MOST_MILLISECONDS


def main() -> int:
    """Run this part alone; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--applications", type=int, default=200_000)
    parser.add_argument("--database", help="The URL of a database that is filled already.")
    options = parser.parse_args()
    text, pages = measured(options.applications, options.database)
    sys.stdout.write(text)
    return 0 if all(page.is_good for page in pages) else 1


def run(*, applications: int = 200_000) -> str:
    """Fill a database and read the pages; return the Markdown below the heading."""
    return measured(applications)[0]


def measured(applications: int, filled: str | None = None) -> tuple[str, list[Page]]:
    """Return the Markdown below the heading, and what each page took."""
    with prepared(filled) as url:
        os.environ["DATABASE_URL"] = url
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
        django.setup()
        seconds = 0.0 if filled else fill(applications)
        pages = measure()
        return f"{foreword(seconds)}\n{table(pages)}", pages


@contextmanager
def prepared(filled: str | None) -> Iterator[str]:
    """Yield the URL of the database to measure; one of its own is dropped afterwards."""
    if filled:
        yield filled
    else:
        with postgresql.throwaway() as server, database(server.url) as url:
            yield url


def fill(count: int) -> float:
    """Make the applications; return how many seconds that took."""
    from django.core.management import call_command

    from bench import applications

    call_command("migrate", verbosity=0)
    start = time.perf_counter()
    applications.make(count)
    return time.perf_counter() - start


def foreword(seconds: float) -> str:
    """Return what was measured on what."""
    from bench import applications
    from onboarding.models import Application, Event

    there = {"applications": Application.objects.count(), "events": Event.objects.count()}
    made_in = f", made in {seconds:.0f} s" if seconds else ""
    return FOREWORD.format(**there, made_in=made_in, made=applications.MADE_UP)


def measure() -> list[Page]:
    """Read each page twice; return what the second reading took."""
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
    pages = []
    for name, pattern in PAGES.items():
        path = pattern.format(case=case.pk, found=found, **known)
        client.get(path)
        asked = explain(lambda path=path: client.get(path))
        took = sum(statement.milliseconds for statement in asked)
        pages.append(Page(name, len(asked), took))
        sys.stderr.write(f"{name:26} {len(asked):3} statements {took:7.1f} ms\n")
    return pages


def table(pages: Sequence[Page]) -> str:
    """Return the pages as a table; one that takes too much is marked."""
    lines = ["| page | statements | ms |", "|---|--:|--:|"]
    for page in pages:
        mark = "" if page.is_good else ", too much"
        lines.append(f"| {page.name} | {page.statements} | {page.milliseconds:.1f}{mark} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
