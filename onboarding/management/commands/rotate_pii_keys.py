"""manage.py rotate_pii_keys."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from banking.services import deployments
from foundation.privacy.encrypted_columns import encrypted_fields
from foundation.privacy.encryption import primary_key_id
from onboarding.services.privacy import reencryption
from onboarding.services.privacy.reencryption import Counts


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
            self._encrypt_files(dry_run=True)
            return
        counts = self._reencrypt(total, batch)
        self.stdout.write(f"resealed {counts.reencrypted} values under key {primary_key_id()}")
        if counts.changed_meanwhile:
            self.stdout.write(f"{counts.changed_meanwhile} were changed meanwhile; run again")
        if counts.undecryptable:
            raise CommandError(
                f"{counts.undecryptable} values open with none of the keys; see the log"
            )
        self._encrypt_files(dry_run=False)
        if not any(reencryption.count_outdated(field) for field in encrypted_fields()):
            deployments.forget_old_keys()

    def _encrypt_files(self, *, dry_run: bool) -> None:
        """Wrap the data keys of files with the first key, too. Raises: CommandError."""
        call_command("encrypt_files", dry_run=dry_run, stdout=self.stdout)

    def _count(self) -> int:
        counts = {field.context: reencryption.count_outdated(field) for field in encrypted_fields()}
        for context, count in counts.items():
            self.stdout.write(f"{context}: {count}")
        return sum(counts.values())

    def _reencrypt(self, total: int, batch: int) -> Counts:
        counts = Counts()
        # disable=None shows the bar on a terminal only
        with tqdm(total=total, unit=" values", disable=None, leave=False) as bar:
            try:
                for step in reencryption.reencrypt(batch_size=batch):
                    counts += step
                    bar.update(step.seen)
            except KeyboardInterrupt:
                done = counts.reencrypted
                raise CommandError(f"interrupted after {done} values; run again") from None
        return counts
