"""manage.py verify_ledger."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from banking.models import Posting
from banking.queries import ledger
from foundation.database.snapshots import snapshot


class Command(BaseCommand):
    help = "Recompute balances, holds, totals and statements, and name each difference."

    def handle(self, **options: Any) -> None:
        with snapshot():
            differences = 0
            for difference in ledger.find_differences():
                self.stdout.write(str(difference))
                differences += 1
            postings = Posting.objects.count()
        if differences:
            raise CommandError(f"{differences} differences among {postings} postings")
        self.stdout.write(f"the ledger is clean: {postings} postings, no difference")
