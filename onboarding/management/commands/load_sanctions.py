"""Load OFAC's sanctions list from its CSV files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from onboarding.services.checks import sanctions


class Command(BaseCommand):
    help = "Load OFAC's SDN list in the place of the current one; open cases are checked again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("sdn", type=Path, help="sdn.csv")
        beside = "if it is not named, the one beside sdn.csv is read"
        parser.add_argument("--add", type=Path, metavar="ADD.CSV", help=f"Addresses; {beside}.")
        parser.add_argument("--alt", type=Path, metavar="ALT.CSV", help=f"Aliases; {beside}.")
        parser.add_argument("--dry-run", action="store_true", help="Read them and load nothing.")

    def handle(
        self, *, sdn: Path, add: Path | None, alt: Path | None, dry_run: bool, **options: Any
    ) -> None:
        now = timezone.now()
        try:
            loaded = sanctions.load_list(sdn, addresses=add, aliases=alt, at=now, dry_run=dry_run)
        except sanctions.BrokenFile as exc:
            raise CommandError(f"{exc}; nothing was loaded") from None
        counts = f"{loaded.entry_count} entries with {loaded.name_count} names"
        if not loaded.is_new:
            self.stdout.write(f"these files are the current list: {counts}")
            return
        verb = "would load" if dry_run else "loaded"
        self.stdout.write(f"{verb} {counts} and {loaded.address_count} addresses")
