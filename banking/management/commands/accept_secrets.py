"""manage.py accept_secrets: record changed secrets as those of this database."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.services import deployments
from foundation.privacy import encrypted_columns
from foundation.privacy.encryption import parse_keys
from foundation.privacy.fields import EncryptedField

CONSEQUENCES = {
    "SECRET_KEY": "sessions, password links and recovery codes under the old one are void",
    "API_KEY_PEPPER": "every partner's secret key is void",
    "LINK_KEY": "every applicant's link is void",
    "PII_INDEX_KEYS": "numbers that were stored before are not found",
    "PII_KEYS": "values under keys that are not in it do not open",
}


class Command(BaseCommand):
    help = (
        "Accept secrets that were changed on purpose: record the present ones as those of this "
        "database. Programs with the old ones refuse to start from then on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="+", choices=deployments.SECRETS)
        parser.add_argument(
            "--yes", action="store_true", help="Accept PII_KEYS although values do not open."
        )

    def handle(self, *, name: list[str], yes: bool, **options: Any) -> None:
        if "PII_KEYS" in name and not yes:
            self._require_readable()
        deployments.accept(name, at=timezone.now())
        for accepted in name:
            self.stdout.write(f"accepted {accepted}: {CONSEQUENCES[accepted]}")

    def _require_readable(self) -> None:
        """Raise CommandError if encrypted values do not open with the present PII_KEYS."""
        missing = [
            field.context
            for field in encrypted_columns.encrypted_fields()
            if field.context != deployments.CONTEXT and not self._is_readable(field)
        ]
        if missing:
            raise CommandError(
                f"Values of {', '.join(missing)} do not open with these PII_KEYS. Put the old key "
                "back behind the new one and run rotate_pii_keys; --yes gives those values up."
            )

    def _is_readable(self, field: EncryptedField) -> bool:
        known = parse_keys(settings.PII_KEYS).keys()
        is_open = not encrypted_columns.decrypt_sample(field, size=100).undecryptable
        return is_open and encrypted_columns.count_by_key(field).keys() <= known
