"""manage.py adopt_store: record in the document store that it belongs to this database."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from banking.queries.deployments import get_deployment
from banking.services import stores


class Command(BaseCommand):
    help = (
        "Let the document store belong to this database, so that jobs may delete files in it. "
        "Run it after production was restored or upgraded; a copy takes --new-id."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--new-id", action="store_true", help="Make this copy a deployment of its own."
        )
        parser.add_argument(
            "--yes", action="store_true", help="Take the store from another deployment."
        )

    def handle(self, *, new_id: bool, yes: bool, **options: Any) -> None:
        if get_deployment() is None:
            raise CommandError("This database has no deployment's id: start a program first.")
        if new_id:
            self.stdout.write(f"this database is {stores.become_another()}")
        if new_id and not yes:
            fault = stores.ownership_fault()
            self.stdout.write(f"{fault} {stores.ADVICE}" if fault else "the store belongs to it")
            return
        try:
            stores.adopt(by_force=yes)
        except stores.Taken as exc:
            raise CommandError(
                f"{exc} If no other database uses it, --yes takes it; a copy takes --new-id."
            ) from None
        self.stdout.write("the store belongs to this database")
