"""manage.py feed."""

from argparse import ArgumentParser
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from banking.choices import FeedResult
from banking.feed.files import take_file
from banking.feed.lines import Terms


class Command(BaseCommand):
    help = "Store the records of a file of JSON lines. Run again, it goes on where it was ended."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="A line of JSON for each record.")
        parser.add_argument("--dry-run", action="store_true", help="Say what would happen.")
        parser.add_argument("--atomic", action="store_true", help="Store all lines or none.")
        parser.add_argument(
            "--wait-minutes", type=int, default=0, metavar="N",
            help="Keep lines that refer to missing records for N minutes, until these come.",
        )  # fmt: skip

    def handle(
        self, *, file: Path, dry_run: bool, atomic: bool, wait_minutes: int, **_options: Any
    ) -> None:
        terms = Terms(wait=timedelta(minutes=wait_minutes) or None, is_atomic=atomic)
        try:
            counts = self._take(file, terms, dry_run=dry_run)
        except OSError as exc:
            raise CommandError(str(exc)) from None
        except KeyboardInterrupt:
            raise CommandError("interrupted; run again to store the rest") from None
        parts = [f"{counts[result]:,} {result}" for result in FeedResult if counts[result]]
        verb = "tried" if dry_run else "took"
        self.stdout.write(f"{verb} {counts.total():,} lines: {', '.join(parts)}")
        if counts[FeedResult.REFUSED]:
            raise CommandError(f"{counts[FeedResult.REFUSED]:,} lines were refused")

    def _take(self, file: Path, terms: Terms, *, dry_run: bool) -> Counter[FeedResult]:
        counts: Counter[FeedResult] = Counter()
        with tqdm(total=file.stat().st_size, unit="B", unit_scale=True, disable=None) as bar:
            for batch, outcome in take_file(file, terms=terms, clock=timezone.now, dry_run=dry_run):
                bar.update(batch.offset_bytes - bar.n)
                counts[outcome.result] += 1
                for fault in outcome.faults if outcome.result == FeedResult.REFUSED else ():
                    self.stderr.write(f"line {outcome.line} {fault.field} {fault.message}")
        return counts
