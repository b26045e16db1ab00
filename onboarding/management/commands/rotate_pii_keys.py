"""manage.py rotate_pii_keys."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from banking.queries.sealed import sealed_fields
from banking.services import deployments
from foundation.privacy.encryption import primary_key_id
from onboarding.services.privacy import reencryption
from onboarding.services.privacy.reencryption import Tally


class Command(BaseCommand):
    help = (
        "Seal every personal number anew that another key than the first of PII_KEYS has sealed. "
        "Restart all processes with the new key first; run this again if it was interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--batch", type=int, default=500, help="Values per transaction (500).")
        parser.add_argument("--dry-run", action="store_true", help="Count them and change nothing.")

    def handle(self, *, batch: int, dry_run: bool, **options: Any) -> None:
        if batch < 1:
            raise CommandError("--batch must be at least 1.")
        total = self._count()
        if dry_run:
            self.stdout.write(f"would reseal {total} values under key {primary_key_id()}")
            return
        tally = self._reseal(total, batch)
        self.stdout.write(f"resealed {tally.resealed} values under key {primary_key_id()}")
        if tally.changed_meanwhile:
            self.stdout.write(f"{tally.changed_meanwhile} were changed meanwhile; run again")
        if tally.unsealable:
            raise CommandError(f"{tally.unsealable} values open with none of the keys; see the log")
        if not any(reencryption.count_outdated(field) for field in sealed_fields()):
            deployments.forget_old_keys()

    def _count(self) -> int:
        counts = {field.context: reencryption.count_outdated(field) for field in sealed_fields()}
        for context, count in counts.items():
            self.stdout.write(f"{context}: {count}")
        return sum(counts.values())

    def _reseal(self, total: int, batch: int) -> Tally:
        tally = Tally()
        # disable=None shows the bar on a terminal only
        with tqdm(total=total, unit=" values", disable=None, leave=False) as bar:
            try:
                for step in reencryption.reseal(batch_size=batch):
                    tally += step
                    bar.update(step.seen)
            except KeyboardInterrupt:
                done = tally.resealed
                raise CommandError(f"interrupted after {done} values; run again") from None
        return tally
