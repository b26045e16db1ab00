"""manage.py erase_unsubmitted: erase the personal data of leads that ended without a submission."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.services.stores import StoreOfAnother
from onboarding.services.privacy import erasure


class Command(BaseCommand):
    help = "Erase the personal data of leads whose applications ended without being submitted."

    def add_arguments(self, parser: ArgumentParser) -> None:
        days = settings.UNSUBMITTED_KEPT_FOR.days
        parser.add_argument(
            "--days", type=int, default=days, help=f"Since the end, in days (default {days})."
        )
        parser.add_argument("--dry-run", action="store_true", help="Count them and erase nothing.")

    def handle(self, *, days: int, dry_run: bool, **options: Any) -> None:
        if days < 1:
            raise CommandError("--days must be at least 1.")
        now = timezone.now()
        before = now - timedelta(days=days)
        if dry_run:
            count = erasure.list_erasable(before=before).count()
            self.stdout.write(f"would erase {count} leads that ended before {before:%Y-%m-%d}")
            return
        try:
            outcomes = list(erasure.erase_unsubmitted(before=before, at=now))
        except StoreOfAnother as exc:
            raise CommandError(str(exc)) from None
        faults = [outcome for outcome in outcomes if outcome.fault]
        count = len(outcomes) - len(faults)
        self.stdout.write(f"erased {count} leads that ended before {before:%Y-%m-%d}")
        for outcome in faults:
            self.stderr.write(f"application {outcome.application_id}: {outcome.fault}")
        if faults:
            raise CommandError(f"{len(faults)} leads could not be erased")
