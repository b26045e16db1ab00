"""manage.py export_audit."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from foundation.database.snapshots import snapshot
from onboarding.models import Lead
from onboarding.services.events import audit_exports


class Command(BaseCommand):
    help = "Export the events of a lead as JSON lines, or prove such a file without the database."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        wanted = parser.add_mutually_exclusive_group(required=True)
        wanted.add_argument("--lead", type=UUID, metavar="ID", help="The customer id.")
        wanted.add_argument("--verify", type=Path, metavar="FILE", help="Prove this file.")
        parser.add_argument("--output", type=Path, metavar="FILE", help="Write to this file.")

    def handle(
        self, *, lead: UUID | None, verify: Path | None, output: Path | None, **options: Any
    ) -> None:
        if verify:
            self._verify(verify)
        elif lead:
            self._export(lead, output)

    def _export(self, customer_id: UUID, output: Path | None) -> None:
        with snapshot():
            found = Lead.objects.select_related("partner").filter(external_id=customer_id).first()
            if found is None:
                raise CommandError("No lead has this id.")
            text = "".join(audit_exports.write_lines(found))
        if output:
            output.write_text(text)
        else:
            self.stdout.write(text, ending="")

    def _verify(self, file: Path) -> None:
        try:
            with file.open() if str(file) != "-" else sys.stdin as lines:
                faults = audit_exports.verify_lines(lines)
        except (OSError, audit_exports.NoAuditFile) as exc:
            raise CommandError(str(exc)) from exc
        for fault in faults:
            self.stdout.write(fault)
        if faults:
            raise CommandError(f"{len(faults)} faults in {file}")
        self.stdout.write("the file is whole, no fault")
