"""Print the kinds of records that the record feed takes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from banking.feed import csv_files
from banking.feed.registry import KINDS
from onboarding import record_kinds_table


class Command(BaseCommand):
    help = (
        "Print the kinds of records of the record feed: scopes, fields, and where they show; or "
        "the header of a CSV file of one kind."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--csv", choices=sorted(KINDS), metavar="KIND", help="Print the CSV template of KIND."
        )

    def handle(self, *, csv: str | None, **_options: Any) -> None:
        if csv:
            self.stdout.write(csv_files.template(csv).content.decode(), ending="")
        else:
            self.stdout.write(record_kinds_table.reference())
