"""manage.py reconcile: compare balances with a file of the core system."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.feed.reconciliation import reconcile


class Command(BaseCommand):
    help = "Compare balances by account and day with a file of the core; name each difference."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="A line of JSON for each account and day.")

    def handle(self, *, file: Path, **_options: Any) -> None:
        try:
            run = reconcile(file, clock=timezone.now, tell=lambda one: self.stdout.write(str(one)))
        except OSError as exc:
            raise CommandError(str(exc)) from None
        if run.difference_count:
            raise CommandError(f"{run.difference_count:,} differences in {run.line_count:,} lines")
        if not run.line_count:
            raise CommandError("the file has no lines")
        self.stdout.write(f"no difference in {run.line_count:,} lines")
