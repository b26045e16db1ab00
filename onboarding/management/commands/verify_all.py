"""manage.py verify_all: run all verifications of the data, and write one report."""

import logging
import time
from argparse import ArgumentParser
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.queries.deployments import get_deployment
from foundation.anchoring import anchors, committed_ids, keys, proof_reports, statements, stores
from foundation.anchoring.proof_reports import NoProof, Part, ProofReport
from foundation.database.snapshot_processes import default_processes
from foundation.privacy import row_files

logger = logging.getLogger(__name__)

WHOLE_DAYS = 8  # after which --since is refused and everything has to be proved again


class Command(BaseCommand):
    help = (
        "Run verify_ledger, verify_audit with all anchors, verify_documents and verify_keys, and "
        "write one report, as JSON, as text and signed with ANCHOR_KEY_FILE. Ends with 1 after a "
        "fault."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--output", type=Path, metavar="FOLDER", help="Where reports are kept.")
        parser.add_argument(
            "--since",
            type=Path,
            metavar="REPORT",
            help="Prove what is newer than the anchor of this signed report without faults. "
            f"Everything must have been proved in the last {WHOLE_DAYS} days.",
        )
        as_audit = "As of verify_audit."
        parser.add_argument(
            "--restarted", nargs="+", type=int, default=[], metavar="NUMBER", help=as_audit
        )
        parser.add_argument(
            "--kept", nargs="+", type=Path, default=[], metavar="FILE", help=as_audit
        )
        parser.add_argument("--processes", type=int, default=default_processes(), help=as_audit)
        parser.add_argument("--threads", type=int, default=4, help="Files at once (default 4).")

    def handle(self, *, output: Path | None, since: Path | None, **options: Any) -> None:
        now = timezone.now()
        try:
            signer = keys.load(settings.ANCHOR_KEY_FILE) if settings.ANCHOR_KEY_FILE else None
            basis, of = proof_reports.read_basis(since, signer) if since else (None, "")
            number, statement = _newest_anchor(basis)
            ends = dict(zip(_kinds(), committed_ids.newest(row_files.file_models()), strict=True))
        except (
            NoProof,
            keys.KeyFault,
            stores.StoreFault,
            anchors.NotAnchored,
            committed_ids.StillWriting,
        ) as exc:
            raise CommandError(str(exc)) from exc
        if basis and now - datetime.fromisoformat(basis.whole_at) > timedelta(days=WHOLE_DAYS):
            raise CommandError(f"Prove everything: it was proved last at {basis.whole_at}.")
        deployment = get_deployment()
        report = ProofReport(
            at=now.isoformat(),
            deployment=str(deployment.external_id) if deployment else "",
            anchor=number,
            statement=statement,
            whole_at=basis.whole_at if basis else now.isoformat(),
            since=of,
            files=ends,
            parts=[self._run(*command) for command in _commands(basis, number, options)],
        )
        if output:
            path = proof_reports.write(report, output, signer)
            is_signed = "signed" if signer and signer.private else "not signed"
            self.stdout.write(f"wrote {path}, {is_signed}")
        if report.faults:
            raise CommandError("\n".join(report.faults))
        self.stdout.write("no fault")

    def _run(self, name: str, *arguments: str) -> Part:
        """Run a command, print its lines, and return them with duration and fault, if any."""
        said, begun, fault = StringIO(), time.monotonic(), ""
        try:
            call_command(name, *arguments, stdout=said)
        except CommandError as exc:
            fault = str(exc)
        except Exception as exc:
            fault = f"ended before its last row: {type(exc).__name__}"
            logger.exception("%s ended before its last row", name)
        seconds = round(time.monotonic() - begun, 1)
        lines = said.getvalue().splitlines()
        for line in lines:
            self.stdout.write(f"{name}: {line}")
        return Part(name, seconds, lines, fault)


def _kinds() -> list[str]:
    return [model._meta.label_lower for model in row_files.file_models()]


def _commands(
    basis: ProofReport | None, anchor: int, options: dict[str, Any]
) -> list[tuple[str, ...]]:
    """Return the commands to run, each with its arguments.

    With `basis`, the report of an earlier run, `verify_audit` and `verify_documents` prove newer
    rows only. With `anchor` = 0, nothing is compared with anchors.
    """
    audit = ["verify_audit", f"--processes={options['processes']}"]
    if anchor:
        audit += ["--anchors", *([f"--since={basis.anchor}"] if basis else [])]
        for name in ("restarted", "kept"):
            audit += [f"--{name}", *map(str, options[name])] if options[name] else []
    documents = ["verify_documents", f"--threads={options['threads']}"]
    if basis and basis.files:
        documents += ["--after", *(f"{kind}={pk}" for kind, pk in basis.files.items())]
    books = ("verify_ledger", f"--processes={options['processes']}")
    return [books, tuple(audit), tuple(documents), ("verify_keys",)]


def _newest_anchor(basis: ProofReport | None) -> tuple[int, str]:
    """Return number and SHA-256 of the newest anchor; 0 and an empty text without an anchor.

    `verify_audit` verifies the anchor later. Raises: StoreFault; NoProof if the anchor in the
    report `basis` is missing or another one.
    """
    found = anchors.parse_destinations(settings.ANCHORS, lock=settings.ANCHOR_LOCK).stores
    digests = {
        stores.number_of(name): statements.digest(stores.read_all(store, name))
        for store in found
        for name in store.names()
        if name.endswith(stores.STATEMENT)
    }
    if basis and digests.get(basis.anchor) != basis.statement:
        raise NoProof(f"anchor {basis.anchor} is not the one of that report")
    newest = max(digests, default=0)
    return newest, digests.get(newest, "")
