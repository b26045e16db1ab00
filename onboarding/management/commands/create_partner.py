"""manage.py create_partner: register a partner."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from onboarding.models import Partner
from onboarding.services.partners import api_keys


class Command(BaseCommand):
    help = "Register a partner. `issue_api_key` then gives it an access key."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="The partner's name, which nobody else has.")

    def handle(self, *, name: str, **options: Any) -> None:
        try:
            Partner(name=name.strip()).full_clean()
        except ValidationError as exc:
            raise CommandError(" ".join(exc.messages)) from None
        partner = api_keys.create_partner(name=name)
        self.stdout.write(f"registered {partner.name}, {partner.external_id}")
