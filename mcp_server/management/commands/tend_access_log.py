"""Add partitions of the access log for the coming months, and archive the old ones."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from foundation.jobs.registry import Incomplete
from mcp_server.services import access_log_partitions


class Command(BaseCommand):
    help = (
        "Make the partitions of the access log for the coming months, and archive those older "
        "than ACCESS_LOG_MONTHS. Run it as the owner of the tables."
    )

    def handle(self, **options: Any) -> None:
        try:
            self.stdout.write(access_log_partitions.tend(at=timezone.now()))
        except Incomplete as exc:
            raise CommandError(str(exc)) from exc
