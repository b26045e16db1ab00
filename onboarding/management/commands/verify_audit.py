"""manage.py verify_audit: verify the hash chains of events, and compare with anchors."""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils import timezone

from banking.models import StaffEvent
from banking.queries import staff_history
from foundation.anchoring import anchors
from foundation.anchoring.stores import Store, StoreFault
from foundation.anchoring.verification import Verification
from foundation.database import schema_faults, unreadable_rows
from foundation.database.snapshot_processes import MapRanges, default_processes, shared_snapshot
from onboarding.models import Event
from onboarding.queries import audit, fixed_rows, policy_versions

WHOLE = "the audit is whole in itself (a forged chain takes --anchors)"
ANCHORED = "the audit is whole, and is the one that was anchored"
RESTARTED = "the audit is whole, and is the one that was anchored since the last restart"
SINCE = "the audit since anchor {} is whole, and is the one that was anchored"


class Command(BaseCommand):
    help = (
        "Recompute the hash chains of each lead's events and of staff events, compare tables, "
        "triggers and functions with those of the migrations, and name each fault. With "
        "--anchors, also prove that histories, ledger and access log are those that were "
        "anchored: without --anchors, a chain that was recomputed after a change of the database "
        "is not found."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--anchors",
            nargs="*",
            metavar="LOCATION",
            help="Compare with anchors in these stores, file:///folder or s3://bucket/prefix; "
            "without a location, with those of ANCHORS.",
        )
        parser.add_argument(
            "--restarted",
            nargs="+",
            type=int,
            default=[],
            metavar="NUMBER",
            help="Anchors that began anew because a backup was restored, as you know from other "
            "people than those who run the database. Any other new beginning is a fault.",
        )
        parser.add_argument(
            "--kept",
            nargs="+",
            type=Path,
            default=[],
            metavar="FILE",
            help="Statements that you kept, such as the newest that you were mailed. Without one, "
            "a database that was rolled back together with all anchors since looks whole.",
        )

        parser.add_argument(
            "--since",
            type=int,
            default=0,
            metavar="NUMBER",
            help="Trust that all rows up to this anchor were proved before: recompute the "
            "histories that have newer events, and compare with newer anchors.",
        )
        parser.add_argument(
            "--processes",
            type=int,
            default=default_processes(),
            help="Processes that read at once on PostgreSQL (default: one per core).",
        )

    def handle(
        self,
        *,
        anchors: list[str] | None,
        restarted: list[int],
        kept: list[Path],
        since: int,
        processes: int,
        **options: Any,
    ) -> None:
        if (kept or since) and anchors is None:
            raise CommandError("--kept and --since compare with anchors: name --anchors, too.")
        with shared_snapshot(processes) as map_ranges:
            faults, verification = 0, None
            if anchors is not None:
                verification = Verification(
                    _stores(anchors or settings.ANCHORS),
                    key_file=settings.ANCHOR_KEY_FILE,
                    at=timezone.now(),
                    restarted=restarted,
                    kept=kept,
                    since=since,
                    map_ranges=map_ranges,
                )
            for text, is_fault in _lines(verification, since, map_ranges):
                self.stdout.write(text)
                faults += is_fault
            events = StaffEvent.objects.count() + Event.objects.count()
        if faults:
            raise CommandError(f"{faults} faults among {events} events")
        verdict = WHOLE if anchors is None else RESTARTED if restarted else ANCHORED
        verdict = SINCE.format(since) if since else verdict
        self.stdout.write(f"{verdict}: {events} events, no fault")


def _lines(
    verification: Verification | None, since: int, map_ranges: MapRanges
) -> Iterator[tuple[str, bool]]:
    """Yield each line of the report with whether the line is a fault."""
    yield from ((text, True) for text in schema_faults.find_faults(connection))
    proved = 0
    if verification:
        yield from ((str(line), line.is_fault) for line in verification.lines())
        proved = _proved(verification, since)
    found = audit.find_faults(map_ranges=map_ranges, since=proved)
    yield from ((str(finding), True) for finding in found)
    others = chain(
        _until_unreadable("the history of staff", staff_history.find_faults()),
        _until_unreadable("a judgement of a hit", fixed_rows.find_changed_of_records()),
        _until_unreadable("a version of the decision policy", policy_versions.find_faults()),
    )
    yield from ((text, True) for text in others)


def _until_unreadable(name: str, faults: Iterator[str]) -> Iterator[str]:
    """Yield faults until one of the rows cannot be read, and then, as the last fault, say so."""
    try:
        yield from faults
    except Exception as exc:  # noqa: BLE001 - forged values raise anything, and end no audit
        yield f"{name} {unreadable_rows.describe(exc)}"


def _stores(locations: list[str]) -> list[Store]:
    """Return the stores of anchors at these locations, at least one. Raises: CommandError."""
    try:
        destinations = anchors.parse_destinations(locations, lock=settings.ANCHOR_LOCK)
    except StoreFault as exc:
        raise CommandError(str(exc)) from exc
    if not destinations.stores:
        raise CommandError("No store of anchors is named, and ANCHORS has none.")
    return destinations.stores


def _proved(verification: Verification, since: int) -> int:
    """Return the id of the last event that the anchor with the number `since` covers; 0 for 0.

    Raises: CommandError if there is no such valid anchor.
    """
    if not since:
        return 0
    covered = verification.covered(since, "events")
    if covered is None:
        raise CommandError(f"There is no valid anchor {since} to begin at.")
    return covered
