"""A restore drill: load, back up, destroy, restore to a moment, prove and compare (`make drill`).

It starts a PostgreSQL that archives its WAL and a bucket with versions, both its own, and fills
them through the Lead API, the ledger and the access log. The database is destroyed with SIGKILL
and the bucket is emptied. Both are restored to a moment between two transactions: the first must
be there and the second must not. The exit status is 1 if anything differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from bench import parts, point_in_time, versioned_bucket
from bench.drill_load import Load
from bench.servers import ROOT
from tests import postgresql

BEGINNING, END = "<!-- drill -->\n", "<!-- end of the drill -->"
PAUSE_SECONDS = 0.5  # on each side of the moment
DIGEST = """
SELECT count(*), coalesce(sum(('x' || left(md5(t::text), 15))::bit(60)::bigint), 0) FROM {} t
"""
TABLES = """
SELECT relname FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p'
    AND relnamespace = 'public'::regnamespace ORDER BY relname
"""


@dataclass
class Figures:
    """The figures that the drill measured, by name, and the faults that it found."""

    values: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Measure the seconds of the block."""
        begun = time.monotonic()
        yield
        self.values[name] = f"{time.monotonic() - begun:.1f} s"
        sys.stderr.write(f"{name}: {self.values[name]}\n")

    def require(self, is_right: bool, fault: str) -> None:
        """Note a fault unless the condition holds."""
        if not is_right:
            self.faults.append(fault)


def main() -> int:
    """Run the drill, print its figures, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--leads", type=int, default=200, help="before the backup (200)")
    parser.add_argument("--more", type=int, default=50, help="after the backup (50)")
    parser.add_argument("--archive-seconds", type=int, default=10, help="archive_timeout (10)")
    parser.add_argument("--tables", type=Path, help="a dump of migrated tables; saves `migrate`")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the figures into a page")
    options = parser.parse_args()
    figures = drill(
        options.leads, options.more, timeout=options.archive_seconds, tables=options.tables
    )
    text = "\n".join(f"| {name} | {value} |" for name, value in figures.values.items())
    sys.stdout.write(f"{text}\n{''.join(f'FAULT: {fault}{chr(10)}' for fault in figures.faults)}")
    if options.write and not figures.faults:
        _write(options.write, f"| | |\n|---|--:|\n{text}\n")
    return 1 if figures.faults else 0


def drill(leads: int, more: int, *, timeout: int, tables: Path | None = None) -> Figures:
    """Run the whole drill."""
    figures = Figures()
    os.environ.update({"AWS_ACCESS_KEY_ID": "drill", "AWS_SECRET_ACCESS_KEY": "drill"})
    with tempfile.TemporaryDirectory(prefix="vestibule-drill-") as folder:
        root = Path(folder)
        root.chmod(0o711)  # the server's user passes through
        archive = point_in_time.make_folder(root / "archive")
        backup = point_in_time.make_folder(root / "backup")
        first, second = root / "first", root / "second"
        for home in (first, second):
            point_in_time.make_folder(home)
        with versioned_bucket.serving() as bucket:
            with point_in_time.archiving(first, archive, timeout=timeout) as url:
                _set_up(root, url, bucket)
                with figures.timed("empty tables made"):
                    _migrate(first, tables)
                with figures.timed("load"):
                    load = Load(leads)
                with figures.timed("base backup, verified"):
                    point_in_time.back_up(first, backup)
                moment, expected = _go_on(load, more, url, figures)
                _measure(figures, root, bucket)
                destroyed = time.monotonic()
                _close()
                point_in_time.destroy(first)
                bucket.empty()
            with figures.timed("restored: bucket"):
                figures.require(bucket.restore() > 0, "the bucket had nothing to restore")
            with figures.timed("restored: base backup and WAL"):
                ready = point_in_time.restored(second, backup=backup, archive=archive, to=moment)
                url = ready.__enter__()
            try:
                _point_to(second)
                _compare(figures, load, expected)
                with figures.timed("proved: verify_all"):
                    _prove(figures, root)
                seconds = time.monotonic() - destroyed
                figures.values["RTO, from the loss to the proof"] = f"{seconds:.1f} s"
                _close()
            finally:
                ready.__exit__(None, None, None)
    return figures


def _set_up(root: Path, url: str, bucket: versioned_bucket.Bucket) -> None:
    """Set Django up for the cluster, the bucket and a folder of anchors."""
    os.environ.update(
        parts.settle(
            url,
            root,
            LOG_LEVEL="ERROR",
            DOCUMENT_STORAGE="s3",
            DOCUMENT_S3_BUCKET=versioned_bucket.NAME,
            DOCUMENT_S3_ENDPOINT=bucket.endpoint,
            DOCUMENT_S3_REGION=versioned_bucket.REGION,
            ANCHORS=(root / "anchors").as_uri(),
            ANCHOR_KEY_FILE=str(root / "anchor-key.pem"),
            RATE_LIMIT_FACTOR="0",
        )
    )
    parts.set_up()
    from tests.factories import make_anchor_key

    make_anchor_key(root / "anchor-key.pem")


def _migrate(home: Path, tables: Path | None) -> None:
    from django.core.management import call_command

    if tables is None:
        call_command("migrate", verbosity=0)
        return
    psql = [postgresql.binaries() / "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", tables]
    to = ["-h", home, "-U", "vestibule", "-d", "postgres"]
    subprocess.run([*psql, *to], stdout=subprocess.DEVNULL, check=True)


def _go_on(
    load: Load, more: int, url: str, figures: Figures
) -> tuple[datetime, dict[str, tuple[int, int]]]:
    """Go on after the backup; return a moment between two transactions and the tables then."""
    import psycopg
    from django.core.management import call_command

    for _ in range(more):
        load.register()
    expected = _digests()
    time.sleep(PAUSE_SECONDS)
    with psycopg.connect(url) as connection:
        (moment,) = connection.execute("SELECT clock_timestamp()").fetchone() or ()
    time.sleep(PAUSE_SECONDS)
    load.lost = load.register()
    call_command("anchor_audit", verbosity=0)
    seconds = point_in_time.wait_until_archived(url)
    figures.values["RPO, from a commit to the archive"] = f"{seconds:.1f} s"
    return moment, expected


def _digests() -> dict[str, tuple[int, int]]:
    """Return the number of rows and a digest of them, by table; without unlogged tables."""
    from django.db import connection

    found = {}
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        for (table,) in cursor.fetchall():
            cursor.execute(DIGEST.format(connection.ops.quote_name(table)))
            found[table] = cursor.fetchone()
    return found


def _measure(figures: Figures, root: Path, bucket: versioned_bucket.Bucket) -> None:
    sizes = bucket.sizes()
    figures.values["base backup"] = _megabytes(root / "backup")
    figures.values["archived WAL"] = _megabytes(root / "archive")
    figures.values["bucket"] = f"{len(sizes):,} files, {sum(sizes.values()) / 1e6:.1f} MB"


def _megabytes(folder: Path) -> str:
    total = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return f"{total / 1e6:,.0f} MB"


def _point_to(home: Path) -> None:
    from django.db import connection

    connection.settings_dict["HOST"] = str(home)


def _close() -> None:
    from django.db import connections

    connections.close_all()


def _compare(figures: Figures, load: Load, expected: dict[str, tuple[int, int]]) -> None:
    """Compare every table with its digest at the moment, and look for acknowledged leads."""
    from onboarding.models import Lead

    found = _digests()
    for table in sorted({*expected, *found}):
        figures.require(
            found.get(table) == expected.get(table),
            f"{table} has {found.get(table)} instead of {expected.get(table)}",
        )
    kept = set(map(str, Lead.objects.values_list("external_id", flat=True)))
    missing = [one for one in load.acknowledged if one not in kept and one != load.lost]
    figures.require(not missing, f"{len(missing)} leads from before the moment are missing")
    figures.require(load.lost not in kept, "the lead from after the moment is there")
    rows = sum(count for count, _ in found.values())
    figures.values["tables with the same digest"] = f"{len(found)}, {rows:,} rows"
    figures.values["acknowledged leads from before the moment"] = f"{len(load.acknowledged) - 1}"
    figures.values["of these missing"] = str(len(missing))


def _prove(figures: Figures, root: Path) -> None:
    """Do the steps after a restore, and prove everything."""
    from django.core.management import CommandError, call_command

    call_command("adopt_store", stdout=sys.stderr)
    try:
        call_command("anchor_audit", stdout=sys.stderr)
        figures.faults.append("an anchor was made on top of one with newer rows")
    except CommandError as exc:
        figures.require("rolled back" in str(exc), f"anchor_audit: {exc}")
    call_command("anchor_audit", restart="restore drill", stdout=sys.stderr)
    try:
        call_command("verify_all", output=root / "proofs", restarted=[3], stdout=sys.stderr)
    except CommandError as exc:
        figures.faults.append(str(exc))
    [report] = (root / "proofs").glob("*.json")
    parts_of: list[dict[str, Any]] = json.loads(report.read_bytes())["parts"]
    for part in parts_of:
        figures.values[f"verify_all: {part['name']}"] = f"{part['seconds']} s"
    figures.require(report.with_suffix(".sig").exists(), "the report is not signed")


def _write(page: Path, figures: str) -> None:
    """Replace the text between the two marks of a page."""
    before, _, rest = (ROOT / page).read_text().partition(BEGINNING)
    today = f"{datetime.now().astimezone():%Y-%m-%d}, {os.cpu_count()} cores."
    after = rest.partition(END)[2]
    (ROOT / page).write_text(f"{before}{BEGINNING}{today}\n\n{figures}{END}{after}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except postgresql.Unavailable as exc:
        sys.exit(str(exc))
