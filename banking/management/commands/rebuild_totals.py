"""manage.py rebuild_totals."""

from typing import Any

from django.core.management.base import BaseCommand

from banking.services import totals


class Command(BaseCommand):
    help = (
        "Compute the totals of transactions anew, after an upgrade that postings did not wait for."
    )

    def handle(self, **_options: Any) -> None:
        totals.rebuild()
        self.stdout.write("computed the totals of all transactions")
