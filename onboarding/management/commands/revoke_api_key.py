"""manage.py revoke_api_key: end an access key at once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from onboarding.management.access_keys import get_api_key
from onboarding.models import ApiKey
from onboarding.services.partners import api_keys, key_proposals


class Command(BaseCommand):
    help = "End an access key at once, both of its secrets with it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("access_key")

    def handle(self, *, access_key: str, **options: Any) -> None:
        key, now = get_api_key(access_key), timezone.now()
        with transaction.atomic():
            api_keys.revoke_api_key(key, at=now)
            key_proposals.record_command(key, "revoked", at=now)
        owner = key.partner if isinstance(key, ApiKey) else "the bank"
        self.stdout.write(f"{key} of {owner} is revoked since {key.revoked_at:%Y-%m-%d %H:%M} UTC")
