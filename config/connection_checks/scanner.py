"""Connection check of clamd."""

from collections.abc import Iterator
from typing import Final

from django.conf import settings

from config.connection_checks.findings import Finding, Hints, fault_of
from foundation.scanning.clamd import Clamd, ScanFailed

SECONDS: Final = 5.0
HINTS: Final[Hints] = [
    ("no such file", "Start clamd, or correct CLAMD_ADDRESS; loading signatures takes a minute."),
    ("permission denied", "Add the user of the programs to the group of clamd's socket."),
]


def check() -> Iterator[Finding]:
    """Yield the findings of the scanner in CLAMD_ADDRESS."""
    if settings.SCANNER != "clamd":
        yield Finding("Documents are not scanned.", "Set SCANNER to clamd.")
        return
    try:
        version = Clamd(settings.CLAMD_ADDRESS, seconds=SECONDS).ask_version()
    except ScanFailed as exc:
        yield fault_of("the scanner", exc, HINTS)
    else:
        yield Finding(f"{version} answers.")
