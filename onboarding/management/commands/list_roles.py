"""Print the roles of staff."""

from typing import Any

from django.core.management.base import BaseCommand

from onboarding.roles import ROLES


class Command(BaseCommand):
    help = "Print the roles of staff, a line each."

    def handle(self, **options: Any) -> None:
        for role in ROLES:
            self.stdout.write(f"{role.name:15}{role.description}")
