"""manage.py feed: store the records of a file of the record feed."""

from argparse import ArgumentParser
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from banking.choices import FeedResult
from banking.feed import csv_files
from banking.feed.faults import Fault
from banking.feed.files import is_csv, take_file
from banking.feed.lines import Terms
from banking.feed.registry import KINDS


class Command(BaseCommand):
    help = "Store the records of a file of lines. Run again, it goes on where it was ended."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="Lines of JSON; or CSV, named *.csv.")
        parser.add_argument(
            "--kind", default="", choices=sorted(KINDS), metavar="KIND",
            help="The kind of all records; CSV needs it. See list_record_kinds.",
        )  # fmt: skip
        parser.add_argument("--dry-run", action="store_true", help="Say what would happen.")
        parser.add_argument("--atomic", action="store_true", help="Store all lines or none.")
        parser.add_argument(
            "--wait-minutes", type=int, default=0, metavar="N",
            help="Keep lines that refer to missing records for N minutes, until these come.",
        )  # fmt: skip

    def handle(
        self,
        *,
        file: Path,
        kind: str,
        dry_run: bool,
        atomic: bool,
        wait_minutes: int,
        **_options: Any,
    ) -> None:
        if is_csv(file.name) and not kind:
            raise CommandError("A CSV file has records of one kind; name it with --kind.")
        wait = timedelta(minutes=wait_minutes) or None
        terms = Terms(kind=kind, wait=wait, is_atomic=atomic)
        try:
            counts = self._take(file, terms, dry_run=dry_run)
        except (OSError, csv_files.Unreadable) as exc:
            raise CommandError(str(exc)) from None
        except KeyboardInterrupt:
            raise CommandError("interrupted; run again to store the rest") from None
        parts = [f"{counts[result]:,} {result}" for result in FeedResult if counts[result]]
        verb = "tried" if dry_run else "took"
        self.stdout.write(f"{verb} {counts.total():,} lines: {', '.join(parts)}")
        if counts[FeedResult.REFUSED]:
            raise CommandError(f"lines refused: {counts[FeedResult.REFUSED]:,}")

    def _take(self, file: Path, terms: Terms, *, dry_run: bool) -> Counter[FeedResult]:
        counts: Counter[FeedResult] = Counter()
        with tqdm(total=file.stat().st_size, unit="B", unit_scale=True, disable=None) as bar:
            for batch, outcome in take_file(file, terms=terms, clock=timezone.now, dry_run=dry_run):
                bar.update(batch.offset_bytes - bar.n)
                counts[outcome.result] += 1
                for fault in outcome.faults if outcome.result == FeedResult.REFUSED else ():
                    self.stderr.write(f"{_place(file, outcome.line, fault)} {fault.message}")
        return counts


def _place(file: Path, line: int, fault: Fault) -> str:
    """Return the place of a fault: row and column of a CSV file, otherwise line and field."""
    if is_csv(file.name):
        return f"row {line} {csv_files.column_of(fault.field)}"
    return f"line {line} {fault.field}"
