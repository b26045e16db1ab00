"""Print the types of events."""

from typing import Any

from django.core.management.base import BaseCommand

from onboarding.event_types import EventType


class Command(BaseCommand):
    help = "Print the types of events: each with whether partners are sent it, and if not, why."

    def handle(self, **options: Any) -> None:
        for event_type in EventType:
            because = event_type.spec.unpublished_because
            sent = f"internal: {because}" if because else "published"
            self.stdout.write(f"{event_type.value:32}{sent}")
