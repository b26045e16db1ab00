"""Re-encryption: encrypted values under another key, or bound to no row, encrypted anew."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from django.db import models, transaction
from django.db.models import Value
from django.db.models.functions import Left

from foundation.privacy.encrypted_columns import batches, encrypted_fields, envelopes
from foundation.privacy.encryption import DecryptionError, decrypt, encrypt, primary_prefix
from foundation.privacy.fields import EncryptedField

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Counts:
    """Counts of renewed, concurrently changed, and undecryptable values."""

    renewed: int = 0
    changed_meanwhile: int = 0
    undecryptable: int = 0

    def __add__(self, other: Self) -> "Counts":
        return Counts(
            self.renewed + other.renewed,
            self.changed_meanwhile + other.changed_meanwhile,
            self.undecryptable + other.undecryptable,
        )

    @property
    def seen(self) -> int:
        """Return the number of values that were read."""
        return self.renewed + self.changed_meanwhile + self.undecryptable


def count_outdated(field: EncryptedField) -> int:
    """Return the number of values not encrypted with the primary key, or not for their row."""
    return _outdated(field).count()


def reencrypt(*, batch_size: int) -> Iterator[Counts]:
    """Encrypt outdated values with the primary key for their row, one committed batch per step.

    A value that changed since it was read is not replaced. A value that cannot be decrypted is
    logged, counted and left as it is, and does not end the run. An interrupted run can be repeated:
    the values that it has encrypted are no longer outdated.
    """
    for field in encrypted_fields():
        for batch in batches(_outdated(field), "envelope", *field.bound_to, size=batch_size):
            yield _reencrypt(field, batch)


def _reencrypt(field: EncryptedField, batch: Sequence[tuple[Any, ...]]) -> Counts:
    fresh = []
    for pk, envelope, *identity in batch:
        row = field.name_row(identity)
        try:
            text = decrypt(envelope, context=field.context, row=row)
        except DecryptionError as exc:
            logger.warning("%s", exc)
        else:
            fresh.append((pk, envelope, encrypt(text, context=field.context, row=row)))
    with transaction.atomic():
        renewed = sum(_replace(field, *change) for change in fresh)
    return Counts(renewed, len(fresh) - renewed, len(batch) - len(fresh))


def _replace(field: EncryptedField, pk: Any, old: str, new: str) -> int:
    unchanged = envelopes(field).filter(pk=pk, envelope=old)
    return unchanged.update(**{field.name: Value(new, output_field=models.TextField())})


def _outdated(field: EncryptedField) -> models.QuerySet[Any]:
    prefix = primary_prefix()
    start = Left("envelope", len(prefix))  # LIKE ignores case on SQLite
    outdated: models.QuerySet[Any] = (
        envelopes(field).filter(envelope__gt="").alias(start=start).exclude(start=prefix)
    )
    return outdated
