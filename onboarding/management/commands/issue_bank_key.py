"""manage.py issue_bank_key: issue an access key for the record feed to a system of the bank."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from onboarding.management.access_keys import introduce
from onboarding.models import BankKey
from onboarding.services.partners import api_keys, key_proposals

LONGEST_DAYS = api_keys.LONGEST_LIFETIME.days


class Command(BaseCommand):
    help = "Issue an access key to a system of the bank, for the record feed; show its secret once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--label", default="", help="The system that uses the key.")
        parser.add_argument(
            "--scope", nargs="+", action="extend", required=True, metavar="SCOPE",
            help="For example cards:write or *:read; KIND:write allows to send, KIND:read to read.",
        )  # fmt: skip
        parser.add_argument(
            "--network", nargs="+", action="extend", default=[], metavar="CIDR",
            help="Who may call (any address), for example 10.0.0.0/8.",
        )  # fmt: skip
        parser.add_argument(
            "--days", type=int, default=settings.API_KEY_LIFETIME.days,
            help=f"How long it lives, 1 to {LONGEST_DAYS} (%(default)s).",
        )  # fmt: skip

    def handle(
        self, *, label: str, scope: list[str], network: list[str], days: int, **_options: Any
    ) -> None:
        if not 1 <= days <= LONGEST_DAYS:
            raise CommandError(f"--days must be 1 to {LONGEST_DAYS}.")
        now = timezone.now()
        try:
            with transaction.atomic():
                issued = api_keys.issue_bank_key(
                    at=now,
                    label=BankKey._meta.get_field("label").clean(label, None),
                    scopes=scope,
                    networks=dict.fromkeys(network),
                    lifetime=timedelta(days=days),
                )
                key_proposals.record_command(issued.key, "issued", at=now)
        except ValidationError as exc:
            raise CommandError(f"--label: {' '.join(exc.messages)}") from None
        except ValueError as exc:
            raise CommandError(f"{exc}.") from None
        for line in introduce(issued):
            self.stdout.write(line)
