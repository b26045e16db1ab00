"""manage.py grants."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from foundation.database import grants


class Command(BaseCommand):
    help = (
        "Print SQL by which PostgreSQL roles can run the programs but own no table, and change no "
        "row of an append-only table. Run it as the owner of the tables, after each migration: "
        "manage.py grants vestibule_web vestibule_worker | psql -1 -v ON_ERROR_STOP=1. "
        "migrate changes tables: run it as the owner."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("roles", nargs="+", metavar="ROLE", help="A role that exists.")

    def handle(self, *, roles: list[str], **options: Any) -> None:
        try:
            for statement in grants.statements(connection, roles):
                self.stdout.write(f"{statement};")
        except grants.NotPostgresql as exc:
            raise CommandError(str(exc)) from exc
