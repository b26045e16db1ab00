"""Bring the stored files and the documents' rows in step after a crash."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from onboarding.services import documents


class Command(BaseCommand):
    help = "Delete stored files without a row and stale uploads; name documents without their file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than",
            type=minutes,
            default=60,
            metavar="MINUTES",
            help="Spare younger files, which running requests may need (default 60).",
        )
        parser.add_argument("--dry-run", action="store_true", help="Count them and delete nothing.")

    def handle(self, *, older_than: int, dry_run: bool, **options: Any) -> None:
        before = timezone.now() - timedelta(minutes=older_than)
        report = documents.sweep(before=before, dry_run=dry_run)
        verb = "would delete" if dry_run else "deleted"
        orphans, stale = len(report.orphans), len(report.stale_uploads)
        self.stdout.write(f"{verb} {orphans} files without a row and {stale} stale uploads")
        for external_id in report.missing:
            self.stderr.write(f"document {external_id} lacks its file")


def minutes(text: str) -> int:
    """Return a number of minutes that lies in the past."""
    number = int(text)
    if number < 0:
        raise ArgumentTypeError("must be 0 or more")
    return number
