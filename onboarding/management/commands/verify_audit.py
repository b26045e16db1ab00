"""manage.py verify_audit."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from foundation.database.snapshots import snapshot
from onboarding.models import Event
from onboarding.queries import audit


class Command(BaseCommand):
    help = "Prove that no event of any lead was changed or is missing, and name each that was."

    def handle(self, **options: Any) -> None:
        with snapshot():
            faults = 0
            for finding in audit.find_faults():
                self.stdout.write(str(finding))
                faults += 1
            events = Event.objects.count()
        if faults:
            raise CommandError(f"{faults} faults among {events} events")
        self.stdout.write(f"the audit is whole: {events} events, no fault")
