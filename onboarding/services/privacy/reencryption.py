"""Re-encryption: personal numbers, encrypted anew after a change of the primary key."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from django.db import models, transaction
from django.db.models import Value
from django.db.models.functions import Left

from foundation.privacy.encrypted_columns import encrypted_fields, envelopes
from foundation.privacy.encryption import DecryptionError, decrypt, encrypt, primary_prefix
from foundation.privacy.fields import EncryptedField

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Counts:
    """Counts of re-encrypted, concurrently changed, and undecryptable values."""

    reencrypted: int = 0
    changed_meanwhile: int = 0
    undecryptable: int = 0

    def __add__(self, other: Self) -> "Counts":
        return Counts(
            self.reencrypted + other.reencrypted,
            self.changed_meanwhile + other.changed_meanwhile,
            self.undecryptable + other.undecryptable,
        )

    @property
    def seen(self) -> int:
        """Return the number of values that were read."""
        return self.reencrypted + self.changed_meanwhile + self.undecryptable


def count_outdated(field: EncryptedField) -> int:
    """Return the number of values of a field that are not encrypted with the primary key."""
    return _outdated(field).count()


def reencrypt(*, batch_size: int) -> Iterator[Counts]:
    """Encrypt every value of an older key with the primary key, one committed batch per step.

    A value that changed since it was read is not replaced. An interrupted run can be repeated: it
    finds the remaining values by their keys.
    """
    for field in encrypted_fields():
        outdated = _outdated(field).order_by("pk").values_list("pk", "envelope")
        batch = list(outdated[:batch_size])
        while batch:
            yield _reencrypt(field, batch)
            batch = list(outdated.filter(pk__gt=batch[-1][0])[:batch_size])


def _reencrypt(field: EncryptedField, batch: Sequence[tuple[Any, str]]) -> Counts:
    fresh = []
    for pk, envelope in batch:
        try:
            text = decrypt(envelope, context=field.context)
        except DecryptionError:
            logger.warning("%s of row %s opens with no key", field.context, pk)
        else:
            fresh.append((pk, envelope, encrypt(text, context=field.context)))
    with transaction.atomic():
        reencrypted = sum(_replace(field, *change) for change in fresh)
    return Counts(reencrypted, len(fresh) - reencrypted, len(batch) - len(fresh))


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
