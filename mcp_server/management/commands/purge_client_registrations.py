"""Delete clients that registered themselves long ago and were never connected."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from mcp_server.services import registrations


class Command(BaseCommand):
    help = "Delete clients that registered more than --days ago and were never connected."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, default=30, help="How long to wait (default 30).")
        parser.add_argument("--dry-run", action="store_true", help="Count them, delete nothing.")

    def handle(self, *, days: int, dry_run: bool, **options: Any) -> None:
        before = timezone.now() - timedelta(days=days)
        if dry_run:
            count = registrations.unused(before=before).count()
        else:
            count = registrations.purge_unused(before=before)
        verb = "would delete" if dry_run else "deleted"
        self.stdout.write(f"{verb} {count} clients registered before {before:%Y-%m-%d}")
