"""manage.py load_demo_bank: load sample businesses into a sandbox."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.days import midnight
from banking.demo import bank
from banking.demo.lines import store
from banking.demo.scale import Scale, write_lines
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
            help="First send so many transactions of further businesses, anew each time.",
        )

        parser.add_argument(
            "--to",
            type=Path,
            metavar="FILE",
            help="Only write the lines of the record feed to a file, to send them by HTTP.",
        )

    def handle(
        self,
        *,
        businesses: int,
        months: int,
        seed: int,
        until: date | None,
        scale: int | None,
        to: Path | None,
        verbosity: int,
        **_options: Any,
    ) -> None:
        today = timezone.now().date()
        if not settings.IS_SANDBOX:
            raise CommandError("Only a sandbox has a demo bank.")
        if until and until > today:
            raise CommandError("--until lies in the future.")
        wanted = bank.Wanted(until=until or today, businesses=businesses, months=months, seed=seed)
        if to:
            lines, _ = bank.plan(wanted)
            to.write_bytes(b"".join(line + b"\n" for line in lines))
            return
        if scale:
            self._scale(scale, seed, wanted.until)
        try:
            bank.load(wanted)
        except bank.AlreadyLoaded as exc:
            self.stdout.write(str(exc))
            return
        if verbosity:
            self._tell()

    def _scale(self, count: int, seed: int, until: date) -> None:
        wanted = Scale(count, tag=f"scale-{Business.objects.count()}", seed=seed)
        started, at = time.monotonic(), midnight(until)
        store(write_lines(wanted, until=at), at=at)
        seconds = time.monotonic() - started
        self.stdout.write(
            f"{count:,} transactions of {wanted.businesses:,} businesses in {seconds:.1f} s:"
            f" {count / seconds:,.0f} a second"
        )

    def _tell(self) -> None:
        self.stdout.write(
            f"the demo bank is loaded: {Business.objects.count()} businesses,"
            f" {Transaction.objects.count():,} transactions, {Statement.objects.count()} statements"
        )


def at_least_one(text: str) -> int:
    """Return the number in a text. Raises: ArgumentTypeError if it is no whole number above 0."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("give a number from 1 on")
    return int(text)
