"""manage.py verify_ledger: recompute balances, holds, totals and statements."""

from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from banking.models import Posting
from banking.queries import ledger
from foundation.database.snapshot_processes import default_processes, map_in_turn, shared_snapshot

MANY: Final = 100_000  # postings from which on processes are worth their start
AT_ONCE: Final = 2  # processes: three comparisons take most of the time


class Command(BaseCommand):
    help = "Recompute balances, holds, totals and statements, and name each difference."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--processes",
            type=int,
            default=default_processes(),
            help=f"Processes that read at once on PostgreSQL, {AT_ONCE} at most.",
        )

    def handle(self, *, processes: int, **options: Any) -> None:
        with shared_snapshot(min(processes, AT_ONCE)) as map_ranges:
            postings = Posting.objects.count()
            differences = 0
            mapped = map_ranges if postings >= MANY else map_in_turn
            for difference in ledger.find_differences(map_ranges=mapped):
                self.stdout.write(str(difference))
                differences += 1
        if differences:
            raise CommandError(f"{differences} differences among {postings} postings")
        self.stdout.write(f"the ledger is clean: {postings} postings, no difference")
