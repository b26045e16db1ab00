"""manage.py encrypt_files: encrypt plain stored files, and wrap data keys again."""

import logging
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from banking.services import stores
from foundation.privacy import file_rotation
from foundation.privacy.aws_kms import KeyServiceUnavailable
from foundation.privacy.encrypted_files import UnreadableFile
from foundation.privacy.encrypted_storage import EncryptedStorage
from foundation.privacy.file_rotation import Outcome, encrypted_storages, list_names, remove_parts

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
        parser.add_argument(
            "--verify", action="store_true", help="Read every file whole, and change nothing."
        )

    def handle(self, *, dry_run: bool, verify: bool, **options: Any) -> None:
        counts: Counter[str] = Counter()
        act = file_rotation.verify if verify else partial(file_rotation.renew, dry_run=dry_run)
        try:
            if not dry_run and not verify:
                self._prepare()
            for outcome in self._each(act):
                counts[outcome] += 1
        except stores.StoreOfAnother as exc:
            raise CommandError(str(exc)) from None
        except KeyServiceUnavailable as exc:
            raise CommandError(f"{exc}; run again") from None
        except KeyboardInterrupt:
            done = counts[Outcome.ENCRYPTED] + counts[Outcome.REWRAPPED]
            raise CommandError(f"interrupted after {done} files; run again") from None
        if verify:
            self.stdout.write(f"{counts[Outcome.CURRENT]} files can be read")
        else:
            self._report(counts, verb="would be " if dry_run else "")
        if counts[UNREADABLE]:
            raise CommandError(f"{counts[UNREADABLE]} files cannot be read; see the log")

    def _prepare(self) -> None:
        stores.require_own()
        for storage in encrypted_storages():
            remove_parts(storage, before=timezone.now() - LONGEST_WRITE)

    def _each(self, act: Callable[[EncryptedStorage, str], Outcome]) -> Iterator[str]:
        for storage in encrypted_storages():
            # disable=None shows the bar on a terminal only
            for name in tqdm(list(list_names(storage)), unit=" files", disable=None, leave=False):
                try:
                    yield act(storage, name)
                except UnreadableFile as exc:
                    logger.warning("the file %s/%s cannot be read: %s", storage.label, name, exc)
                    yield UNREADABLE

    def _report(self, counts: Counter[str], *, verb: str) -> None:
        encrypted, rewrapped = counts[Outcome.ENCRYPTED], counts[Outcome.REWRAPPED]
        self.stdout.write(
            f"{encrypted} files {verb}encrypted, {rewrapped} {verb}wrapped with the present key, "
            f"{counts[Outcome.CURRENT]} were already"
        )
