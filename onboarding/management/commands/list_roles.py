"""Print the roles of staff."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from onboarding import role_table
from onboarding.roles import ROLES


class Command(BaseCommand):
    help = "Print the roles of staff: a line each, or what each may do as a table."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--markdown", action="store_true", help="Print the table.")
        parser.add_argument(
            "--into", type=Path, metavar="FILE", help="Print FILE with the table in its place."
        )

    def handle(self, *, markdown: bool, into: Path | None, **options: Any) -> None:
        if into:
            self.stdout.write(role_table.replace_table(into.read_text()), ending="")
        elif markdown:
            self.stdout.write(role_table.table())
        else:
            for role in ROLES:
                self.stdout.write(f"{role.name:15}{role.description}")
