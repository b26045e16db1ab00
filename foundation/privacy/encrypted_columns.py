"""Inspect the encrypted columns of all tables: the keys in use, and whether values decrypt."""

from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Count, Value
from django.db.models.functions import Cast, Left, StrIndex, Substr

from foundation.privacy.encryption import VERSION, DecryptionError, blind_index, decrypt
from foundation.privacy.fields import BlindIndexField, EncryptedField


@dataclass(frozen=True)
class Sample:
    """Counts of decrypted values, of values that no key decrypts, and of wrong blind indexes."""

    decrypted: int = 0
    undecryptable: int = 0
    misindexed: int = 0


def encrypted_fields() -> list[EncryptedField]:
    """Return the encrypted fields of all models."""
    return [
        field
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, EncryptedField)
    ]


def envelopes(field: EncryptedField) -> models.QuerySet[Any]:
    """Return all rows, annotated with the ciphertext as `envelope`; the field itself decrypts."""
    envelope = Cast(field.name, models.TextField())
    rows: models.QuerySet[Any] = models.QuerySet(field.model).annotate(envelope=envelope)
    return rows


def count_by_key(field: EncryptedField) -> dict[str, int]:
    """Return the number of values per encryption key, by the key's id. Reads every row."""
    encrypted = envelopes(field).filter(envelope__gt="").order_by()
    rest = Substr("envelope", len(VERSION) + 2)
    key_id = Left(rest, StrIndex(rest, Value(".")) - 1)
    return dict(encrypted.values_list(key_id).annotate(count=Count("pk")))


def decrypt_sample(field: EncryptedField, *, size: int) -> Sample:
    """Decrypt the newest values of a field and compare their blind indexes."""
    indexes = [
        index
        for index in field.model._meta.local_concrete_fields
        if isinstance(index, BlindIndexField) and index.of == field.name
    ]
    encrypted = envelopes(field).filter(envelope__gt="").order_by("-pk")
    decrypted = undecryptable = misindexed = 0
    for envelope, *found in encrypted.values_list("envelope", *(index.name for index in indexes))[
        :size
    ]:
        try:
            text = decrypt(envelope, context=field.context)
        except DecryptionError:
            undecryptable += 1
        else:
            decrypted += 1
            misindexed += found != [blind_index(text, context=index.context) for index in indexes]
    return Sample(decrypted, undecryptable, misindexed)
