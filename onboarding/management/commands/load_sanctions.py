"""Load a sanctions list, or a list of politically exposed persons, from its files."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from onboarding.choices import ListCode
from onboarding.services.checks import sanctions


class Command(BaseCommand):
    help = "Load a list in the place of the current one; parties with similar names are checked."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="For OFAC sdn.csv or cons_prim.csv.")
        parser.add_argument(
            "--list", dest="code", choices=ListCode.values, default=ListCode.SDN.value
        )
        beside = "OFAC only; if it is not named, the one beside the file is read"
        parser.add_argument("--add", type=Path, metavar="ADD.CSV", help=f"Addresses; {beside}.")
        parser.add_argument("--alt", type=Path, metavar="ALT.CSV", help=f"Aliases; {beside}.")
        parser.add_argument(
            "--published",
            type=_read_day,
            metavar="YYYY-MM-DD",
            help="The day of the list, where the file does not say it.",
        )
        parser.add_argument("--dry-run", action="store_true", help="Read it and load nothing.")
        parser.add_argument(
            "--accept-fewer", action="store_true", help="Load a list that lost many entries."
        )

    def handle(
        self,
        *,
        file: Path,
        code: str,
        add: Path | None,
        alt: Path | None,
        published: date | None,
        dry_run: bool,
        accept_fewer: bool,
        **options: Any,
    ) -> None:
        try:
            loaded = sanctions.load_list(
                file,
                code=ListCode(code),
                addresses=add,
                aliases=alt,
                published_on=published,
                at=timezone.now(),
                dry_run=dry_run,
                may_shrink=accept_fewer,
            )
        except sanctions.BrokenFile as exc:
            raise CommandError(f"{exc}; nothing was loaded") from None
        counts = f"{loaded.entry_count} entries with {loaded.name_count} names"
        if not loaded.is_new:
            self.stdout.write(f"these files are the current list: {counts}")
            return
        verb = "would load" if dry_run else "loaded"
        self.stdout.write(f"{verb} {counts} and {loaded.address_count} addresses")
        difference = f"{loaded.added} added, {loaded.changed} changed, {loaded.removed} removed"
        self.stdout.write(f"difference from the former list: {difference}")


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text} is no day of the form YYYY-MM-DD") from None
