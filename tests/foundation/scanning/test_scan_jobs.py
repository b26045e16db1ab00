"""The outcome of a job that scans files; which files it scans is tested with each kind of file."""

import pytest

from foundation.jobs.registry import Incomplete
from foundation.scanning.scan_jobs import run_scan
from foundation.scanning.stored_files import ask_version
from tests.factories import NOON


class Context:
    """A job that remembers its progress."""

    def __init__(self):
        self.steps = []

    def progress(self, done, total):
        self.steps.append((done, total))


def scanning(*faults):
    """Return a scan with one result per file."""
    return lambda version, *, at, until: iter(faults)


def run(scan, context=None, *, seconds=60):
    return run_scan(context or Context(), scan, lambda version: 3, seconds=seconds, at=NOON)


def test_the_outcome_counts_scanned_files_and_files_that_are_left(scanner):
    context = Context()

    assert run(scanning("", ""), context) == f"scanned 2 files with {ask_version()}; 3 are left"
    assert context.steps == [(1, 0), (2, 0)]


def test_a_file_without_a_verdict_makes_the_run_incomplete(scanner):
    with pytest.raises(Incomplete, match=r"scanned 1 files .* 1 failed"):
        run(scanning("", "the file is lost"))


def test_the_scan_is_told_when_its_time_is_over(scanner):
    told = []

    def scan(version, *, at, until):
        told.append(until())
        return iter(())

    run(scan, seconds=0)
    run(scan, seconds=3600)

    assert told == [True, False]


def test_without_a_scanner_nothing_is_scanned():
    assert run(scanning("")) == "no scanner is set"


def test_a_scanner_that_is_away_makes_the_run_incomplete(settings):
    settings.SCANNER, settings.CLAMD_ADDRESS = "clamd", "127.0.0.1:9"

    with pytest.raises(Incomplete):
        run(scanning(""))
