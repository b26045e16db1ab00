"""manage.py rebuild_totals: recompute the totals of transactions."""

from typing import Any

from django.core.management.base import BaseCommand

from banking.services import totals


class Command(BaseCommand):
    help = "Recompute the totals of transactions, for example after an upgrade. Postings wait."

    def handle(self, **_options: Any) -> None:
        totals.rebuild()
        self.stdout.write("computed the totals of all transactions")
