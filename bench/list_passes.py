"""How long a changed list takes: `python -m bench.list_passes --parties 100000`.

It fills a database of its own with suppliers that have invented names, loads a list of 500 new
entries and compares all parties with them in one process. Name a PostgreSQL in DATABASE_URL; the
default is SQLite in memory. The exit status says whether 1,000,000 parties
would take at most ten minutes of CPU.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import django

from bench.sanctions import NULL, make_company, make_person, make_word

ENTRIES, CHANGED = 18_000, 500
GOAL_SECONDS, GOAL_PARTIES = 600, 1_000_000
MADE_AT = datetime(2026, 6, 1, tzinfo=UTC)
BATCH_SIZE, OF_A_BUSINESS = 5000, 1000


def make_names(chance: random.Random, words: list[str], count: int) -> Iterator[str]:
    """Yield names of people and companies, of words that sound like names."""
    for number in range(count):
        if number % 2:
            yield f"{chance.choice(words)} {chance.choice(words)}"
        else:
            yield make_company(chance, words).title()


def write_list(folder: Path, chance: random.Random, words: list[str], count: int) -> Path:
    """Write a list in OFAC's format, and return its file. The first entries are always the same."""
    rows = []
    for number in range(1, count + 1):
        is_person = number % 5 < 3
        name = (make_person if is_person else make_company)(chance, words)
        kind = '"individual"' if is_person else NULL
        facts = [*[NULL] * 7, f'"DOB 1970; Passport X{number:07}."']
        rows.append(",".join([str(number), f'"{name}"', kind, '"SDGT"', *facts]))
    path = folder / "sdn.csv"
    path.write_text("".join(f"{row}\r\n" for row in rows), encoding="utf-8")
    return path


def fill(count: int, chance: random.Random, words: list[str]) -> None:
    """Create suppliers of many businesses; the few names that come twice in one are left out."""
    from banking.models import Business, Supplier

    businesses = Business.objects.bulk_create(
        Business(
            legal_name=f"Example {number} LLC",
            business_type="LLC",
            email=f"{number}@example.com",
            created_at=MADE_AT,
        )
        for number in range(count // OF_A_BUSINESS)
    )
    names = make_names(chance, words, count)
    while batch := list(islice(names, BATCH_SIZE)):
        rows = (
            Supplier(business=chance.choice(businesses), name=name, created_at=MADE_AT)
            for name in batch
        )
        Supplier.objects.bulk_create(rows, ignore_conflicts=True)


def measure(folder: Path, parties: int) -> bool:
    """Load both lists, compare all parties with the difference, and print the figures."""
    from onboarding.models import ListPass
    from onboarding.services.checks import list_passes, sanctions

    words = [make_word(random.Random(one)) for one in range(60_000)]  # noqa: S311 - names
    chance = random.Random(7)  # noqa: S311 - it draws names, and the same ones each time
    sanctions.load_list(write_list(folder, random.Random(1), words, ENTRIES), at=MADE_AT)  # noqa: S311 - as above
    ListPass.objects.update(finished_at=MADE_AT)
    fill(parties, chance, words)
    say(f"{parties:,} parties", 0.0, "s")
    start = time.monotonic()
    file = write_list(folder, random.Random(1), words, ENTRIES + CHANGED)  # noqa: S311 - as above
    loaded = sanctions.load_list(file, at=MADE_AT + timedelta(days=1))
    say(f"{loaded.added} entries added", time.monotonic() - start, "s to load")
    start, began = time.monotonic(), time.process_time()
    list_passes.advance(at=MADE_AT + timedelta(days=2))
    taken, cpu = time.monotonic() - start, time.process_time() - began
    done = ListPass.objects.order_by("-pk")[0]
    say(f"{done.party_count:,} compared, {done.found_count:,} similar", taken, "s")
    say("CPU of the process", cpu, "s")
    projected = cpu * GOAL_PARTIES / max(done.party_count, 1)
    say(f"for {GOAL_PARTIES:,} parties", projected, "s of CPU")
    return done.finished_at is not None and projected < GOAL_SECONDS


def say(what: str, figure: float, unit: str) -> None:
    """Print one figure."""
    sys.stdout.write(f"{what:<48}{figure:>9.1f} {unit}\n")
    sys.stdout.flush()


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--parties", type=int, default=100_000)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    with tempfile.TemporaryDirectory() as folder:
        return int(not measure(Path(folder), options.parties))


if __name__ == "__main__":
    sys.exit(main())
