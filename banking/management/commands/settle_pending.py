"""manage.py settle_pending."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.models import Transaction
from banking.services import settlement


class Command(BaseCommand):
    help = "Post the pending transactions that are due; run it as often as you like."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="Count them and post nothing.")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        now = timezone.now()
        if dry_run:
            count = Transaction.objects.due(at=now).count()
            self.stdout.write(f"would settle {count} pending transactions")
            return
        outcomes = list(settlement.settle_due(at=now))
        faults = [outcome for outcome in outcomes if outcome.fault]
        for outcome in faults:
            self.stderr.write(f"{outcome.transaction}: {outcome.fault}")
        self.stdout.write(f"settled {len(outcomes) - len(faults)} pending transactions")
        if faults:
            raise CommandError(f"{len(faults)} could not be settled")
