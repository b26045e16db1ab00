"""manage.py sweep_documents: reconcile stored files with the rows of documents."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.services import stores
from foundation.jobs.registry import Incomplete
from onboarding.services.documents import sweep
from onboarding.services.documents.sweep import SweepReport


class Command(BaseCommand):
    help = (
        "Move stored files without a row to quarantine and delete stale uploads; put back files "
        "that documents lack, and name documents without their file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than",
            type=minutes,
            default=60,
            metavar="MINUTES",
            help="Spare younger files, which running requests may need (default 60).",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Name the files and change nothing."
        )
        parser.add_argument(
            "--yes", action="store_true", help="Move the files however many they are."
        )

    def handle(self, *, older_than: int, dry_run: bool, yes: bool, **options: Any) -> None:
        before = timezone.now() - timedelta(minutes=older_than)
        try:
            report = sweep.sweep_files(before=before, dry_run=dry_run, is_confirmed=yes)
        except Incomplete as exc:
            raise CommandError(str(exc)) from None
        if dry_run:
            self._tell_plan(report)
        self.stdout.write(f"would have {report.outcome}" if dry_run else report.outcome)
        for external_id in report.missing:
            self.stderr.write(f"document {external_id} lacks its file")

    def _tell_plan(self, report: SweepReport) -> None:
        """Print each file without a row, and why a sweep would be refused."""
        for name in report.orphans:
            self.stdout.write(f"{name} has no row")
        for fault in filter(None, [stores.ownership_fault(), report.doubt]):
            self.stdout.write(f"a sweep is refused: {fault}")


def minutes(text: str) -> int:
    """Return the number of minutes in a text. Raises: ArgumentTypeError if it is negative."""
    number = int(text)
    if number < 0:
        raise ArgumentTypeError("must be 0 or more")
    return number
