"""manage.py rotate_api_key: give an access key a new secret."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from onboarding.management.access_keys import get_api_key, introduce
from onboarding.services.partners import api_keys, key_proposals


class Command(BaseCommand):
    help = "Give an access key a new secret and show it, once. The old one works on for a while."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("access_key")
        parser.add_argument(
            "--grace-hours", type=int, default=settings.SECRET_GRACE // timedelta(hours=1),
            help="How long the old secret works on, 0 to 168 (%(default)s).",
        )  # fmt: skip

    def handle(self, *, access_key: str, grace_hours: int, **options: Any) -> None:
        key, now = get_api_key(access_key), timezone.now()
        try:
            grace = timedelta(hours=grace_hours)
            with transaction.atomic():
                issued = api_keys.rotate_api_key(key, at=now, grace=grace)
                key_proposals.record_command(key, "given another secret", at=now)
        except api_keys.KeyNotLive:
            raise CommandError("The access key was revoked or has expired.") from None
        except (ValueError, OverflowError):
            raise CommandError("--grace-hours must be 0 to 168.") from None
        for line in introduce(issued):
            self.stdout.write(line)
        ends_at = issued.key.previous_expires_at
        if ends_at:
            self.stdout.write(f"The old secret works until {ends_at:%Y-%m-%d %H:%M} UTC.")
        else:
            self.stdout.write("The old secret no longer works.")
