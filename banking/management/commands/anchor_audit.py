"""manage.py anchor_audit: sign a digest of new audit records, and store it elsewhere."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from foundation.anchoring import anchors
from foundation.anchoring.stores import StoreFault


class Command(BaseCommand):
    help = "Sign a Merkle root of the new histories, ledger entries and log, and keep it outside."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--restart",
            metavar="REASON",
            default="",
            help="Anchor all rows anew, after a backup was restored. The reason, for example the "
            "backup's date, is part of the anchor; older anchors are then not compared with rows.",
        )

    def handle(self, *, restart: str, **options: Any) -> None:
        try:
            destinations = anchors.parse_destinations(settings.ANCHORS, lock=settings.ANCHOR_LOCK)
            made = anchors.make(
                destinations, key_file=settings.ANCHOR_KEY_FILE, at=timezone.now(), restart=restart
            )
        except (anchors.NotAnchored, StoreFault) as exc:
            raise CommandError(str(exc)) from exc
        statement = made.statement
        self.stdout.write(
            f"anchor {statement.number}: {statement.records} records, root {statement.root}"
        )
        if made.faults:
            raise CommandError(f"the anchor was made, but {'; '.join(made.faults)}")
