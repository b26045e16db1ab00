"""manage.py settle_pending: settle due transactions, send and settle bill payments."""

from argparse import ArgumentParser
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.models import Transaction
from banking.queries import bills
from banking.services import due_payments, settlement


class Command(BaseCommand):
    help = (
        "Post the pending transactions that are due, send the bill payments that are due and "
        "settle those that arrived; run it as often as you like."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="Count them and do nothing.")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        now = timezone.now()
        if dry_run:
            self._count(at=now)
            return
        stuck = self._settle_transactions(at=now)
        stuck += self._carry("sent", due_payments.send_due(at=now))
        stuck += self._carry("settled", due_payments.settle_arrived(at=now))
        if stuck:
            raise CommandError(f"{stuck} could not be settled")

    def _count(self, *, at: datetime) -> None:
        self.stdout.write(
            f"would settle {Transaction.objects.due(at=at).count()} pending transactions\n"
            f"would send {bills.list_due_payments(at=at).count()} bill payments\n"
            f"would settle {len(bills.list_arrived_payments(at=at))} bill payments"
        )

    def _settle_transactions(self, *, at: datetime) -> int:
        """Settle due transactions, print failures and a count; return the number of failures."""
        settled = stuck = 0
        for outcome in settlement.settle_due(at=at):
            if outcome.fault:
                stuck += 1
                self.stderr.write(f"{outcome.transaction}: {outcome.fault}")
            else:
                settled += 1
        self.stdout.write(f"settled {settled} pending transactions")
        return stuck

    def _carry(self, verb: str, outcomes: Iterable[due_payments.Outcome]) -> int:
        """Iterate over the outcomes, which sends or settles payments; print failures and counts.

        Return the number of stuck payments: those that could neither be carried out nor failed.
        """
        done = failed = stuck = 0
        for outcome in outcomes:
            if outcome.fault:
                self.stderr.write(f"{outcome.payment}: {outcome.fault}")
            stuck += outcome.is_stuck
            failed += bool(outcome.fault) and not outcome.is_stuck
            done += not outcome.fault
        self.stdout.write(f"{verb} {done} bill payments, {failed} failed")
        return stuck
