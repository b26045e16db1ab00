"""manage.py issue_api_key: issue an access key to a partner."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from onboarding.choices import Permission
from onboarding.management.access_keys import introduce
from onboarding.models import ApiKey, Partner
from onboarding.services.partners import api_keys, key_proposals

LONGEST_DAYS = api_keys.LONGEST_LIFETIME.days


class Command(BaseCommand):
    help = "Issue an access key to a partner and show its secret, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--partner", required=True, help="The partner's name or external id.")
        parser.add_argument("--label", default="", help="What the key is for.")
        parser.add_argument(
            "--permission", nargs="+", action="extend", metavar="PERMISSION",
            help=f"What it may do (all): {' '.join(Permission.values)}.",
        )  # fmt: skip
        parser.add_argument(
            "--network", nargs="+", action="extend", default=[], metavar="CIDR",
            help="Who may call (any address), for example 10.0.0.0/8.",
        )  # fmt: skip
        parser.add_argument(
            "--days", type=int, default=settings.API_KEY_LIFETIME.days,
            help=f"How long it lives, 1 to {LONGEST_DAYS} (%(default)s).",
        )  # fmt: skip

    def handle(self, *, partner: str, label: str, days: int, **options: Any) -> None:
        if not 1 <= days <= LONGEST_DAYS:
            raise CommandError(f"--days must be 1 to {LONGEST_DAYS}.")
        now = timezone.now()
        try:
            with transaction.atomic():
                issued = api_keys.issue_api_key(
                    get_partner(partner),
                    at=now,
                    label=ApiKey._meta.get_field("label").clean(label, None),
                    permissions=dict.fromkeys(options["permission"] or Permission.values),
                    networks=dict.fromkeys(options["network"]),
                    lifetime=timedelta(days=days),
                )
                key_proposals.record_command(issued.key, "issued", at=now)
        except ValidationError as exc:
            raise CommandError(f"--label: {' '.join(exc.messages)}") from None
        except ValueError as exc:
            raise CommandError(f"{exc}.") from None
        for line in introduce(issued):
            self.stdout.write(line)


def get_partner(name: str) -> Partner:
    """Return the partner by external id or name. Raises: CommandError."""
    try:
        found = Partner.objects.filter(external_id=UUID(name)).first()
    except ValueError:
        found = Partner.objects.filter(name=name).first()
    if found is None:
        raise CommandError("There is no such partner.")
    return found
