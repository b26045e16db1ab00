"""manage.py encrypt_files."""

import logging
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from banking.services import stores
from foundation.privacy.aws_kms import KeyServiceUnavailable
from foundation.privacy.encrypted_files import UnreadableFile
from foundation.privacy.file_rotation import (
    Outcome,
    encrypted_storages,
    list_names,
    remove_parts,
    renew,
)

UNREADABLE = "unreadable"
LONGEST_WRITE = timedelta(hours=1)  # of one file
logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = (
        "Encrypt the files that were stored plain, and wrap the data keys of files again that "
        "another key than the present one wraps. Run this again if it was interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="Count them and change nothing.")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        counts: Counter[str] = Counter()
        try:
            if not dry_run:
                self._prepare()
            for outcome in self._renew(dry_run=dry_run):
                counts[outcome] += 1
        except stores.StoreOfAnother as exc:
            raise CommandError(str(exc)) from None
        except KeyServiceUnavailable as exc:
            raise CommandError(f"{exc}; run again") from None
        except KeyboardInterrupt:
            done = counts[Outcome.ENCRYPTED] + counts[Outcome.REWRAPPED]
            raise CommandError(f"interrupted after {done} files; run again") from None
        self._report(counts, verb="would be " if dry_run else "")

    def _prepare(self) -> None:
        stores.require_own()
        for storage in encrypted_storages():
            remove_parts(storage, before=timezone.now() - LONGEST_WRITE)

    def _renew(self, *, dry_run: bool) -> Iterator[str]:
        for storage in encrypted_storages():
            # disable=None shows the bar on a terminal only
            for name in tqdm(list(list_names(storage)), unit=" files", disable=None, leave=False):
                try:
                    yield renew(storage, name, dry_run=dry_run)
                except UnreadableFile as exc:
                    logger.warning("the file %s/%s cannot be read: %s", storage.label, name, exc)
                    yield UNREADABLE

    def _report(self, counts: Counter[str], *, verb: str) -> None:
        encrypted, rewrapped = counts[Outcome.ENCRYPTED], counts[Outcome.REWRAPPED]
        self.stdout.write(
            f"{encrypted} files {verb}encrypted, {rewrapped} {verb}wrapped with the present key, "
            f"{counts[Outcome.CURRENT]} were already"
        )
        if counts[UNREADABLE]:
            raise CommandError(f"{counts[UNREADABLE]} files cannot be read; see the log")
