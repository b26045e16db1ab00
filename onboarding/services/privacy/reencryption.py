"""Personal numbers: seal them anew once another key is the primary one."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from django.db import models, transaction
from django.db.models import Value
from django.db.models.functions import Left

from banking.queries.sealed import envelopes, sealed_fields
from foundation.privacy.encryption import DecryptionError, decrypt, encrypt, primary_prefix
from foundation.privacy.fields import EncryptedField

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tally:
    """How many values were sealed anew, changed by somebody meanwhile, or open with no key."""

    resealed: int = 0
    changed_meanwhile: int = 0
    unsealable: int = 0

    def __add__(self, other: Self) -> "Tally":
        return Tally(
            self.resealed + other.resealed,
            self.changed_meanwhile + other.changed_meanwhile,
            self.unsealable + other.unsealable,
        )

    @property
    def seen(self) -> int:
        """Return how many values were looked at."""
        return self.resealed + self.changed_meanwhile + self.unsealable


def count_outdated(field: EncryptedField) -> int:
    """Return how many values of the field another key than the primary one has sealed."""
    return _outdated(field).count()


def reseal(*, batch_size: int) -> Iterator[Tally]:
    """Seal every outdated value anew, one committed batch per step.

    A value is replaced only while it is the one that was read. Broken off, start again: what is
    left is found by its key.
    """
    for field in sealed_fields():
        outdated = _outdated(field).order_by("pk").values_list("pk", "envelope")
        batch = list(outdated[:batch_size])
        while batch:
            yield _reseal(field, batch)
            batch = list(outdated.filter(pk__gt=batch[-1][0])[:batch_size])


def _reseal(field: EncryptedField, batch: Sequence[tuple[Any, str]]) -> Tally:
    fresh = []
    for pk, envelope in batch:
        try:
            text = decrypt(envelope, context=field.context)
        except DecryptionError:
            logger.warning("%s of row %s opens with no key", field.context, pk)
        else:
            fresh.append((pk, envelope, encrypt(text, context=field.context)))
    with transaction.atomic():
        resealed = sum(_replace(field, *change) for change in fresh)
    return Tally(resealed, len(fresh) - resealed, len(batch) - len(fresh))


def _replace(field: EncryptedField, pk: Any, old: str, new: str) -> int:
    unchanged = envelopes(field).filter(pk=pk, envelope=old)
    return unchanged.update(**{field.name: Value(new, output_field=models.TextField())})


def _outdated(field: EncryptedField) -> models.QuerySet[Any]:
    prefix = primary_prefix()
    start = Left("envelope", len(prefix))  # LIKE would not tell upper from lower case on SQLite
    outdated: models.QuerySet[Any] = (
        envelopes(field).filter(envelope__gt="").alias(start=start).exclude(start=prefix)
    )
    return outdated
