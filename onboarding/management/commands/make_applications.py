"""manage.py make_applications: generate applications in a sandbox."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from onboarding.demo.applications import Maker


class Command(BaseCommand):
    help = "Make up applications, wherever a lifecycle has them: 60 for a look, 200000 to measure."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("count", type=at_least_one, metavar="N")
        parser.add_argument("--seed", type=int, default=7, metavar="N")

    def handle(self, *, count: int, seed: int, verbosity: int, **_options: Any) -> None:
        if not settings.IS_SANDBOX:
            raise CommandError("Only a sandbox has made-up applications.")
        started = time.monotonic()
        for done in Maker(count=count, seed=seed, at=timezone.now()).make():
            if verbosity > 1:
                self.stdout.write(f"{done:,} made")
        seconds = time.monotonic() - started
        if verbosity:
            self.stdout.write(f"made {count:,} applications in {seconds:.1f} s")


def at_least_one(text: str) -> int:
    """Return the number in a text. Raises: ArgumentTypeError if it is less than 1."""
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("must be 1 or more")
    return number
