"""manage.py verify_documents: compare stored files with the sizes and digests in their rows."""

from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from foundation.privacy import row_files
from foundation.privacy.aws_kms import KeyServiceUnavailable


class Command(BaseCommand):
    help = (
        "Read the files of documents, statements, bills and receipts from the store, compare "
        "size and SHA-256 with their rows, and name each file that is missing, damaged or "
        "unreadable. Ends with 1 after a fault."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--sample", type=int, default=0, metavar="N", help="Read N random files of each kind."
        )
        parser.add_argument(
            "--after",
            nargs="+",
            default=[],
            metavar="KIND=ID",
            help="Read rows with higher ids only, as the end of a run or its interruption says.",
        )
        parser.add_argument("--threads", type=int, default=4, help="Files at once (default 4).")

    def handle(self, *, sample: int, after: list[str], threads: int, **options: Any) -> None:
        if threads < 1 or sample < 0:
            raise CommandError("--threads must be at least 1, and --sample not negative.")
        last, files = _parse(after), Counter[str]()
        content_bytes = faults = 0
        try:
            for batch in row_files.read_files(after=last, sample=sample, threads=threads):
                files[batch.kind] += batch.files
                content_bytes += batch.content_bytes
                last[batch.kind] = max(batch.last, last.get(batch.kind, 0))
                faults += len(batch.faults)
                for fault in batch.faults:
                    self.stdout.write(fault)
        except (KeyServiceUnavailable, KeyboardInterrupt) as exc:
            raise CommandError(f"interrupted ({exc}); go on with {_ends(last)}") from None
        for kind, count in sorted(files.items()):
            self.stdout.write(f"{kind}: {count} files read")
        if faults:
            raise CommandError(f"{faults} faults among {files.total()} files")
        self.stdout.write(f"no fault in {files.total()} files, {content_bytes} bytes")
        if files and not sample:
            self.stdout.write(f"later, read newer files with {_ends(last)}")


def _ends(last: dict[str, int]) -> str:
    return f"--after {' '.join(f'{kind}={pk}' for kind, pk in sorted(last.items()))}"


def _parse(after: list[str]) -> dict[str, int]:
    known = [model._meta.label_lower for model in row_files.file_models()]
    ends = {}
    for text in after:
        kind, _, number = text.partition("=")
        if kind not in known or not number.isdecimal():
            raise CommandError(f"{text} is not KIND=ID with a kind of {', '.join(known)}")
        ends[kind] = int(number)
    return ends
