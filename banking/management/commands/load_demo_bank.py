"""manage.py load_demo_bank."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.days import midnight
from banking.demo import bank
from banking.demo.scale import transactions as scaling
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
        parser.add_argument(
            "--scale",
            type=at_least_one,
            metavar="N",
            help="Make so many transactions for benchmarks too, anew each time; on PostgreSQL.",
        )

    def handle(
        self,
        *,
        businesses: int,
        months: int,
        seed: int,
        until: date | None,
        scale: int | None,
        verbosity: int,
        **_options: Any,
    ) -> None:
        today = timezone.now().date()
        if not settings.IS_SANDBOX:
            raise CommandError("Only a sandbox has a demo bank.")
        if until and until > today:
            raise CommandError("--until lies in the future.")
        wanted = bank.Wanted(until=until or today, businesses=businesses, months=months, seed=seed)
        if scale:
            self._scale(scaling.Scale(scale, seed=seed), wanted.until)
        try:
            bank.load(wanted)
        except bank.AlreadyLoaded as exc:
            self.stdout.write(str(exc))
            return
        if verbosity:
            self._tell()

    def _scale(self, wanted: scaling.Scale, until: date) -> None:
        started = time.monotonic()
        try:
            scaling.make_transactions(wanted, until=midnight(until))
        except scaling.NeedsPostgreSQL as exc:
            raise CommandError(str(exc)) from None
        seconds = time.monotonic() - started
        scaling.vacuum()
        self.stdout.write(
            f"{wanted.count:,} transactions of {wanted.businesses:,} businesses in {seconds:.1f} s:"
            f" {wanted.count / seconds:,.0f} a second"
        )

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
