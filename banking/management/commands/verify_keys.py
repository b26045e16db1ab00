"""manage.py verify_keys: check the secrets and keys against this database."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from banking.queries.deployments import get_deployment
from banking.services import deployments
from foundation.privacy import encrypted_columns
from foundation.privacy.encryption import index_key_ids, parse_keys
from foundation.privacy.fields import BlindIndexField, EncryptedField

NO_ID = "the key without an id"


class Command(BaseCommand):
    help = (
        "Compare the secrets with those that this database was used with, name the keys under "
        "which its values are encrypted, and decrypt a sample of each field. Ends with 1 after a "
        "fault."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--sample", type=int, default=100, help="Values to open of each field (default 100)."
        )

    def handle(self, *, sample: int, **options: Any) -> None:
        if sample < 1:
            raise CommandError("--sample must be at least 1.")
        try:
            faults = [*self._secret_faults()]
            for field in encrypted_columns.encrypted_fields():
                faults += self._field_faults(field, sample)
            for index in encrypted_columns.blind_index_fields():
                faults += self._index_faults(index)
        except DatabaseError as exc:
            raise CommandError(f"The database does not answer, or is not migrated: {exc}") from None
        if faults:
            raise CommandError("\n".join(faults))
        self.stdout.write("every secret is that of this database")
        deployment = get_deployment()
        for name, key_id in deployments.list_idle_keys(deployment) if deployment else []:
            key = f"the key {key_id}" if key_id else NO_ID
            self.stdout.write(f"{name}: {key} may be removed")

    def _secret_faults(self) -> Iterator[str]:
        deployment = get_deployment()
        if deployment is None:
            self.stdout.write("no secrets are recorded yet: the first start of a program does it")
            return
        differences = deployments.list_differences(deployment)
        for name in deployments.SECRETS:
            self.stdout.write(f"{name}: {'differs' if name in differences else 'as recorded'}")
        yield from differences.values()

    def _field_faults(self, field: EncryptedField, size: int) -> Iterator[str]:
        counts = encrypted_columns.count_by_key(field)
        found = encrypted_columns.decrypt_sample(field, size=size)
        under = ", ".join(f"{count} under {key_id}" for key_id, count in sorted(counts.items()))
        self.stdout.write(f"{field.context}: {under or 'no values'}; opened {found.decrypted}")
        for key_id in sorted(counts.keys() - parse_keys(settings.PII_KEYS).keys()):
            count = counts[key_id]
            yield f"{field.context}: PII_KEYS lacks {key_id}, which encrypted {count} values."
        if unbound := encrypted_columns.count_unbound(field):
            self.stdout.write(f"  {unbound} of them open in any row: run rotate_pii_keys")
        if found.undecryptable:
            yield f"{field.context}: {found.undecryptable} values of the sample do not open."
        if found.misindexed:
            yield f"{field.context}: PII_INDEX_KEYS does not give {found.misindexed} blind indexes."

    def _index_faults(self, index: BlindIndexField) -> Iterator[str]:
        counts = encrypted_columns.count_by_index_key(index)
        under = ", ".join(f"{count} under {key_id or NO_ID}" for key_id, count in counts.items())
        self.stdout.write(f"{index}: {under or 'no numbers'}")
        for key_id in sorted(counts.keys() - index_key_ids()):
            key = key_id or NO_ID
            yield f"{index}: PII_INDEX_KEYS lacks {key}, which indexed {counts[key_id]} numbers."
