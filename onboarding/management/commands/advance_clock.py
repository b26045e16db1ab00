"""manage.py advance_clock: end overdue applications, and remind applicants and owners."""

from argparse import ArgumentParser
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from onboarding.services.applications import expiry, reminders
from onboarding.services.leads import owner_reminders


class Command(BaseCommand):
    help = (
        "Expire the applications whose deadline has come, and remind the applicants and owners who "
        "are waited for; run it as often as you like."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="Count them and do nothing.")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        now = timezone.now()
        if dry_run:
            self._count(at=now)
            return
        failed = self._report("expired {} applications", expiry.expire_overdue(at=now))
        failed += self._report("reminded {} applicants", reminders.remind_due(at=now))
        failed += self._report(
            "reminded the owners of {} applications", owner_reminders.remind_due(at=now)
        )
        if failed:
            raise CommandError(f"{failed} failed")

    def _count(self, *, at: datetime) -> None:
        self.stdout.write(
            f"would expire {expiry.list_overdue(at=at).count()} applications\n"
            f"would remind {reminders.count_due(at=at)} applicants\n"
            f"would remind the owners of {owner_reminders.count_due(at=at)} applications"
        )

    def _report(self, words: str, outcomes: Iterable[expiry.Outcome]) -> int:
        """Print the results and return the number of failures."""
        done = failed = 0
        for outcome in outcomes:
            if outcome.fault:
                failed += 1
                self.stderr.write(f"application {outcome.application_id}: {outcome.fault}")
            else:
                done += 1
        self.stdout.write(words.format(done))
        return failed
