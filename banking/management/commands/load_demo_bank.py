"""manage.py load_demo_bank."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from banking.demo import bank
from banking.models import Business, Statement, Transaction


class Command(BaseCommand):
    help = "Load businesses worth looking at; the same options on the same day give the same rows."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--businesses", type=at_least_one, default=3, metavar="N")
        parser.add_argument("--months", type=at_least_one, default=18, metavar="N")
        parser.add_argument("--seed", type=int, default=7, metavar="N")
        parser.add_argument(
            "--until",
            type=date.fromisoformat,
            metavar="DATE",
            help="The first day on which nothing has happened yet; today unless given.",
        )

    def handle(
        self,
        *,
        businesses: int,
        months: int,
        seed: int,
        until: date | None,
        verbosity: int,
        **_options: Any,
    ) -> None:
        wanted = bank.Wanted(
            until=until or timezone.now().date(), businesses=businesses, months=months, seed=seed
        )
        try:
            bank.load(wanted)
        except bank.AlreadyLoaded as exc:
            self.stdout.write(str(exc))
            return
        if verbosity:
            self._tell()

    def _tell(self) -> None:
        self.stdout.write(
            f"the demo bank is loaded: {Business.objects.count()} businesses,"
            f" {Transaction.objects.count():,} transactions, {Statement.objects.count()} statements"
        )


def at_least_one(text: str) -> int:
    """Return the number that a text says. Raises: ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("give a number from 1 on")
    return int(text)
