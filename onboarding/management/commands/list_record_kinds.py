"""Print the kinds of records that the record feed takes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from onboarding import record_kinds_table


class Command(BaseCommand):
    help = "Print the kinds of records of the record feed: scopes, fields, and where they show."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--into", type=Path, metavar="FILE", help="Print FILE with the reference in its place."
        )

    def handle(self, *, into: Path | None, **_options: Any) -> None:
        if into:
            page = record_kinds_table.replace_reference(into.read_text())
            self.stdout.write(page, ending="")
        else:
            self.stdout.write(record_kinds_table.reference())
