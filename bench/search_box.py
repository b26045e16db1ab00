"""Time of searches in the back office: `python -m bench.search_box` (a few minutes).

It makes 200,000 leads with owners in a PostgreSQL of its own and measures the database's time of
each search, planning included. The exit status says whether each stays within the limit.
"""

import os
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import django

from bench.explained import Explained, explain

LEADS, OWNERS, BATCH = 200_000, 40_000, 5_000
MAX_MILLISECONDS = 100
TEXTS = [
    "Benson Bakery",
    "Bensn Bakery",
    "bakrey",
    "coffee",
    "llc",
    "Ada Stone",
    "Stne",
    "al",
    "zzzz qqqq",
    "ada.stone7@example.com",
    "crm-777",
    "(202) 555-0132",
    "6789",
    "123-45-6789",
]
FIRST = ["Ada", "Pat", "Kim", "Noor", "Lena", "Omar", "Ines", "Hugo", "Mia", "Theo", "Ruth"]
LAST = ["Stone", "Winters", "Lopez", "Haddad", "Berg", "Reyes", "Osei", "Tanaka", "Novak", "Silva"]
TRADES = ["Bakery", "Coffee", "Books", "Plumbing", "Roofing", "Florist", "Garage", "Design"]
ENDS = ["LLC", "Inc", "Co", "Group", "Partners"]
SYLLABLES = ["ben", "son", "har", "bor", "cor", "ner", "ma", "ple", "oak", "hill", "blue", "lake"]


def main() -> int:
    """Fill a database, measure each search; return the number of searches above the limit."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    from bench import databases

    with databases.server() as url:
        os.environ["DATABASE_URL"] = url
        django.setup()
        with databases.in_database():
            fill(random.Random(7))  # noqa: S311 - the same rows each time
            return sum(measure(text) > MAX_MILLISECONDS for text in TEXTS)


def fill(chance: random.Random) -> None:
    """Insert leads, their applications and owners, and gather statistics."""
    from django.db import connection

    from onboarding.models import Lead, Owner, Partner

    partner = Partner.objects.create(name="Acme Pay")
    for first in range(0, LEADS, BATCH):
        numbers = range(first, first + BATCH)
        leads = Lead.objects.bulk_create(make_lead(partner, one, chance) for one in numbers)
        owners = [
            Owner(lead=lead, **make_person(chance)) for lead in leads[: OWNERS * BATCH // LEADS]
        ]
        Owner.objects.bulk_create(owners)
        insert_applications(leads)
        sys.stderr.write(f"\r{first + BATCH:,} leads")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    sys.stderr.write("\n")


def make_person(chance: random.Random) -> dict[str, str]:
    """Return the name, phone number and SSN of a person."""
    return {
        "first_name": chance.choice(FIRST),
        "last_name": chance.choice(LAST) + chance.choice(["", "", "son", "er"]),
        "phone_number": f"+1202555{chance.randrange(10_000):04}",
        "ssn": str(chance.randrange(10**8, 9 * 10**8)),
    }


def make_lead(partner: Any, number: int, chance: random.Random) -> Any:
    """Return a lead that is not saved."""
    from onboarding.models import Lead

    person = make_person(chance)
    word = "".join(chance.choices(SYLLABLES, k=2)).capitalize()
    return Lead(
        partner=partner,
        email=f"{person['first_name']}.{person['last_name']}{number}@example.com".lower(),
        business_name=f"{word} {chance.choice(TRADES)} {chance.choice(ENDS)}",
        unique_id=f"crm-{number}",
        ein=f"{chance.randrange(10, 99)}{chance.randrange(10_000_000):07}",
        **person,
    )


def insert_applications(leads: list[Any]) -> None:
    """Insert an application for each lead."""
    from django.utils import timezone

    from tests.factories import make_application

    for lead in leads[:100]:  # the search joins them by key: a share is enough
        make_application(lead, at=timezone.now())


def measure(text: str) -> float:
    """Print and return the milliseconds of the database for a search."""
    from onboarding.admin.search_box import SEARCHED
    from onboarding.queries.everything import Asked, search_everything

    asked = Asked(text, may_search_numbers=True, viewable=SEARCHED)
    search_everything(asked)
    statements = explain_reads(lambda: search_everything(asked))
    took = sum(one.milliseconds for one in statements)
    scans = set(find_scans(statements))
    groups = ", ".join(f"{one.kind.label} {len(one.found)}" for one in search_everything(asked))
    sys.stdout.write(
        f"{text:24} {len(statements):3} statements {took:7.1f} ms  {groups or 'nothing'}"
        f"{'  read whole: ' + ', '.join(sorted(scans)) if scans else ''}\n"
    )
    return took


def explain_reads(call: Callable[[], object]) -> list[Explained]:
    """Return the SELECT statements of a call, explained with the tolerance of searches."""
    from foundation.database import trigrams

    with trigrams.tolerance():
        return explain(call, of="SELECT")


def find_scans(statements: list[Explained]) -> Iterator[str]:
    """Yield the names of the tables that were read from end to end."""
    for statement in statements:
        for node in statement.nodes():
            if node["Node Type"] == "Seq Scan":
                yield node["Relation Name"]


if __name__ == "__main__":
    sys.exit(main())
