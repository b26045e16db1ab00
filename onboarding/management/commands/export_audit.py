"""manage.py export_audit: export the events of a lead or a member of staff, or verify a file."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.choices import UserType
from banking.models import User
from foundation.database.snapshots import snapshot
from onboarding.models import Lead
from onboarding.services.events import audit_exports, person_exports


class Command(BaseCommand):
    help = (
        "Export the events of a lead, or all that a member of staff did, as JSON lines; or prove "
        "such a file without the database."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        wanted = parser.add_mutually_exclusive_group(required=True)
        wanted.add_argument("--lead", type=UUID, metavar="ID", help="The customer id.")
        wanted.add_argument("--person", metavar="EMAIL", help="The email of a member of staff.")
        wanted.add_argument("--verify", type=Path, metavar="FILE", help="Prove this file.")
        parser.add_argument("--output", type=Path, metavar="FILE", help="Write to this file.")

    def handle(
        self,
        *,
        lead: UUID | None,
        person: str | None,
        verify: Path | None,
        output: Path | None,
        **options: Any,
    ) -> None:
        if verify:
            self._verify(verify)
        elif person:
            self._write(self._lines_of_person(person), output)
        elif lead:
            self._write(self._lines_of_lead(lead), output)

    def _lines_of_person(self, email: str) -> Iterator[str]:
        found = User.objects.filter(email=email.strip().lower(), user_type=UserType.STAFF).first()
        if found is None:
            raise CommandError("No member of staff has this email.")
        person_exports.record_export(found, by=None, at=timezone.now())
        return person_exports.write_lines(found)

    def _lines_of_lead(self, customer_id: UUID) -> list[str]:
        with snapshot():
            found = Lead.objects.select_related("partner").filter(external_id=customer_id).first()
            if found is None:
                raise CommandError("No lead has this id.")
            return list(audit_exports.write_lines(found))

    def _write(self, lines: Iterable[str], output: Path | None) -> None:
        if output is None:
            for line in lines:
                self.stdout.write(line, ending="")
            return
        with output.open("w") as file:
            file.writelines(lines)

    def _verify(self, file: Path) -> None:
        try:
            with file.open() if str(file) != "-" else sys.stdin as lines:
                first = next(lines, "")
                verifier = person_exports if person_exports.is_of_person(first) else audit_exports
                faults = verifier.verify_lines(chain([first], lines))
        except (OSError, audit_exports.NoAuditFile) as exc:
            raise CommandError(str(exc)) from exc
        for fault in faults:
            self.stdout.write(fault)
        if faults:
            raise CommandError(f"{len(faults)} faults in {file}")
        self.stdout.write("the file is whole, no fault")
