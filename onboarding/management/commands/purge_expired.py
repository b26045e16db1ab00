"""manage.py purge_expired: delete rows that are past their retention."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from onboarding.services.privacy import retention
from onboarding.services.webhooks import endpoints


class Command(BaseCommand):
    help = (
        "Delete what has expired: kept first answers, rate windows, codes and sessions, and after "
        "settings.KEPT_FOR deliveries, publications, lanes and mails for which nothing waits, and "
        "moves of the sandbox's clock; and webhooks that partners deleted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--batch", type=int, default=1000, help="Rows per statement (1000).")
        parser.add_argument("--dry-run", action="store_true", help="Count them and delete nothing.")

    def handle(self, *, batch: int, dry_run: bool, **options: Any) -> None:
        if batch < 1:
            raise CommandError("--batch must be at least 1.")
        now = timezone.now()
        for model in retention.EXPIRING:
            if dry_run:
                verb, count = "would delete", retention.count_expired(model, at=now)
            else:
                verb = "deleted"
                count = retention.purge_expired(model, at=now, batch_size=batch)
            self.stdout.write(f"{verb} {count} {model._meta.verbose_name_plural}")
        before = now - retention.DELETED_FOR
        if dry_run:
            verb, count = "would delete", endpoints.list_deleted(before=before).count()
        else:
            verb, count = "deleted", endpoints.purge_deleted(before=before)
        self.stdout.write(f"{verb} {count} webhooks")
