"""manage.py rotate_pii_keys: encrypt and index personal data under the first of the keys."""

from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from banking.services import deployments
from foundation.privacy.encrypted_columns import blind_index_fields, encrypted_fields
from foundation.privacy.encryption import index_key_ids, primary_key_id
from onboarding.services.privacy import reencryption, reindexing
from onboarding.services.privacy.reencryption import Counts


class Command(BaseCommand):
    help = (
        "Encrypt with the first of PII_KEYS every value that another key encrypted, or that is not "
        "bound to its row, compute with the first of PII_INDEX_KEYS every blind index of another "
        "key, and run encrypt_files. Restart all processes with the new keys first; run this again "
        "if it was interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--batch", type=int, default=500, help="Values per transaction (500).")
        parser.add_argument("--dry-run", action="store_true", help="Count them and change nothing.")

    def handle(self, *, batch: int, dry_run: bool, **options: Any) -> None:
        if batch < 1:
            raise CommandError("--batch must be at least 1.")
        outdated, indexed = self._count_values(), self._count_indexed()
        if dry_run:
            self.stdout.write(f"would encrypt {outdated} values with key {primary_key_id()}")
            self.stdout.write(f"would index {indexed} numbers with key {_index_key()}")
            self._encrypt_files(dry_run=True)
            return
        counts = self._run(reencryption.reencrypt(batch_size=batch), outdated)
        self.stdout.write(f"encrypted {counts.renewed} values with key {primary_key_id()}")
        counts += self._index(batch, indexed)
        if counts.changed_meanwhile:
            self.stdout.write(f"{counts.changed_meanwhile} were changed meanwhile; run again")
        if counts.undecryptable:
            raise CommandError(
                f"{counts.undecryptable} values cannot be decrypted; the log names them"
            )
        self._encrypt_files(dry_run=False)
        if not any(reencryption.count_outdated(field) for field in encrypted_fields()):
            deployments.forget_old_keys(deployments.PII_KEYS)

    def _encrypt_files(self, *, dry_run: bool) -> None:
        """Run `encrypt_files`, which wraps the data keys of files again. Raises: CommandError."""
        call_command("encrypt_files", dry_run=dry_run, stdout=self.stdout)

    def _index(self, batch: int, total: int) -> Counts:
        counts = self._run(reindexing.reindex(batch_size=batch), total)
        self.stdout.write(f"indexed {counts.renewed} numbers with key {_index_key()}")
        if not any(reindexing.count_outdated(index) for index in blind_index_fields()):
            deployments.forget_old_keys(deployments.PII_INDEX_KEYS)
        return counts

    def _count_values(self) -> int:
        counts = {field.context: reencryption.count_outdated(field) for field in encrypted_fields()}
        return self._sum(counts)

    def _count_indexed(self) -> int:
        counts = {str(index): reindexing.count_outdated(index) for index in blind_index_fields()}
        return self._sum(counts)

    def _sum(self, counts: Mapping[str, int]) -> int:
        for context, count in counts.items():
            self.stdout.write(f"{context}: {count}")
        return sum(counts.values())

    def _run(self, steps: Iterable[Counts], total: int) -> Counts:
        counts = Counts()
        # disable=None shows the bar on a terminal only
        with tqdm(total=total, unit=" values", disable=None, leave=False) as bar:
            try:
                for step in steps:
                    counts += step
                    bar.update(step.seen)
            except KeyboardInterrupt:
                done = counts.renewed
                raise CommandError(f"interrupted after {done} values; run again") from None
        return counts


def _index_key() -> str:
    return index_key_ids()[0] or "without an id"
