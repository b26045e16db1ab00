"""manage.py import_transactions: import the transactions of a bank file into an account."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from tqdm import tqdm

from banking.imports import camt_files, csv_files, ofx_files
from banking.imports.accounts import AccountNames, WrongAccount
from banking.imports.csv_mapping import InvalidMapping, load_mapping
from banking.imports.file_formats import FileFormat, detect
from banking.imports.transactions import Line, UnreadableFile
from banking.management.accounts import find_account
from banking.services import imports
from banking.services.balances import AccountClosed
from banking.services.import_batches import ImportCounts
from banking.services.imports import Step

CHUNK = 1_000_000


class Command(BaseCommand):
    help = (
        "Import the transactions of a bank file into an account, each once: the same file again "
        "changes nothing. Lines that are refused are named, and the exit status is 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="CSV, OFX, QFX or ISO 20022 camt.053.")
        parser.add_argument("--account", required=True, help="Its external id, or its number.")
        parser.add_argument("--mapping", type=Path, help="What the columns of a CSV file mean.")
        parser.add_argument("--kind", choices=[*FileFormat], help="Do not look for it in the file.")
        parser.add_argument(
            "--any-account", action="store_true", help="Take a file that names another account."
        )
        parser.add_argument(
            "--all-or-nothing", action="store_true", help="Import nothing if a line is refused."
        )
        parser.add_argument("--dry-run", action="store_true", help="Import nothing, but say what.")

    def handle(
        self,
        *,
        file: Path,
        account: str,
        mapping: Path | None,
        kind: str | None,
        any_account: bool,
        all_or_nothing: bool,
        dry_run: bool,
        **options: Any,
    ) -> None:
        found = find_account(account)
        try:
            names = None if any_account else imports.names_of(found)
            lines = read(file, kind=kind, mapping=mapping, account=names)
            with tqdm(total=count_lines(file), unit=" lines", disable=None, leave=False) as bar:
                counts = imports.import_transactions(
                    found,
                    lines,
                    at=timezone.now(),
                    report=lambda step: self._report(step, bar),
                    all_or_nothing=all_or_nothing,
                    dry_run=dry_run,
                )
        except WrongAccount as exc:
            raise CommandError(f"{exc} With --any-account it is taken.") from None
        except (AccountClosed, InvalidMapping, OSError, UnreadableFile) as exc:
            raise CommandError(str(exc)) from None
        except KeyboardInterrupt:
            raise CommandError("interrupted; run again to import the rest") from None
        self._conclude(counts, is_kept=not (dry_run or (all_or_nothing and counts.refused)))

    def _report(self, step: Step, bar: tqdm) -> None:
        if step.faults:
            bar.clear()
        for fault in step.faults:
            self.stderr.write(f"line {fault.line} {fault.reason}")
        bar.update(step.line - bar.n)

    def _conclude(self, counts: ImportCounts, *, is_kept: bool) -> None:
        verb = "imported" if is_kept else "would import"
        self.stdout.write(
            f"{verb} {counts.posted + counts.held + counts.settled} transactions: {counts.posted} "
            f"posted, {counts.held} held, {counts.settled} settled; {counts.unchanged} were there"
        )
        if counts.refused:
            rest = "" if is_kept else "; nothing was imported"
            raise CommandError(f"lines refused: {counts.refused:,}{rest}")


def read(
    file: Path, *, kind: str | None, mapping: Path | None, account: AccountNames | None
) -> Iterator[Line]:
    """Return the transactions of a bank file of the format `kind`, or else of the detected format.

    Raises: InvalidMapping, OSError; CommandError if a CSV file has no mapping, or a file of
    another format has a mapping. UnreadableFile and WrongAccount can also come while the result is
    iterated. The account of a CSV file is not checked.
    """
    found = FileFormat(kind) if kind else detect(file)
    if (found == FileFormat.CSV) != (mapping is not None):
        raise CommandError("A CSV file needs --mapping, and no other kind has one.")
    if found == FileFormat.CAMT:
        return camt_files.read(file, account)
    return csv_files.read(file, load_mapping(mapping)) if mapping else ofx_files.read(file, account)


def count_lines(file: Path) -> int:
    """Return the number of lines of a file, for the progress bar."""
    with file.open("rb") as content:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: content.read(CHUNK), b""))
