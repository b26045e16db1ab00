"""`manage.py check`: Django's command, and with `--live` a connection to each part."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import check

from config.connection_checks import parts


class Command(check.Command):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--live",
            action="store_true",
            help="Connect to each part: database, broker, store, mail server, scanner and others.",
        )

    def handle(self, *app_labels: Any, **options: Any) -> None:
        """Print the findings of each part, then Django's. Raises: CommandError after a fault."""
        found = parts.check_parts() if options["live"] else {}
        faults = 0
        for name, findings in found.items():
            for finding in findings:
                mark = "FAULT" if finding.hint else "ok   "
                faults += bool(finding.hint)
                self.stdout.write(f"{mark} {name}: {finding.text} {finding.hint}".rstrip())
        super().handle(*app_labels, **options)
        if faults:
            raise CommandError(f"Connections have {faults} fault{'s' * (faults > 1)}.")
