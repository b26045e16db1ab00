"""Print the types of events."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from onboarding import event_table
from onboarding.event_types import EventType


class Command(BaseCommand):
    help = "Print the types of events: each with whether partners are sent it, and if not, why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--into", type=Path, metavar="FILE", help="Print FILE with the table in its place."
        )

    def handle(self, *, into: Path | None, **options: Any) -> None:
        if into:
            self.stdout.write(event_table.replace_table(into.read_text()), ending="")
        else:
            for event_type in EventType:
                because = event_type.spec.unpublished_because
                sent = f"internal: {because}" if because else "published"
                self.stdout.write(f"{event_type.value:32}{sent}")
