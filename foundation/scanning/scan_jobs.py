"""Jobs that scan stored files for malware, a limited time in each run."""

import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Protocol

from foundation.jobs.registry import Incomplete, JobContext, JobProgress
from foundation.scanning.clamd import ScanFailed
from foundation.scanning.stored_files import ask_version, is_scanned


class Scan(Protocol):
    """A function that scans files with the scanner's `version` until `until` returns true.

    Its result has a fault for each file, empty if the file has a verdict.
    """

    def __call__(
        self, version: str, *, at: datetime, until: Callable[[], bool]
    ) -> Iterable[str]: ...


def run_scan(
    context: JobContext, scan: Scan, count_left: Callable[[str], int], *, seconds: int, at: datetime
) -> str:
    """Scan files for about `seconds`, and return the outcome of the job.

    Raises: Incomplete if the scanner is away or a file has no verdict; LeaseLost.
    """
    if not is_scanned():
        return "no scanner is set"
    try:
        version = ask_version()
    except ScanFailed as failed:
        raise Incomplete(str(failed)) from failed
    progress = JobProgress(context)
    ends_at = time.monotonic() + seconds
    faults = scan(version, at=at, until=lambda: time.monotonic() >= ends_at)
    scanned = progress.count(faults, is_fault=bool)
    return progress.outcome(
        f"scanned {scanned} files with {version}; {count_left(version)} are left"
    )
