"""The sealed values of every table: under which keys they are, and whether they open."""

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
    """How many values of a field were opened, opened with no key, or have another blind index."""

    opened: int = 0
    unsealable: int = 0
    misindexed: int = 0


def sealed_fields() -> list[EncryptedField]:
    """Return every sealed field of every table."""
    return [
        field
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, EncryptedField)
    ]


def envelopes(field: EncryptedField) -> models.QuerySet[Any]:
    """Return all rows with the column's sealed text as `envelope`: reading the field opens it."""
    envelope = Cast(field.name, models.TextField())
    rows: models.QuerySet[Any] = models.QuerySet(field.model).annotate(envelope=envelope)
    return rows


def count_by_key(field: EncryptedField) -> dict[str, int]:
    """Return how many values of a field each key has sealed, by the key's id. Reads every row."""
    sealed = envelopes(field).filter(envelope__gt="").order_by()
    rest = Substr("envelope", len(VERSION) + 2)
    key_id = Left(rest, StrIndex(rest, Value(".")) - 1)
    return dict(sealed.values_list(key_id).annotate(count=Count("pk")))


def open_sample(field: EncryptedField, *, size: int) -> Sample:
    """Open the newest values of a field, and compare their blind indexes."""
    indexes = [
        index
        for index in field.model._meta.local_concrete_fields
        if isinstance(index, BlindIndexField) and index.of == field.name
    ]
    sealed = envelopes(field).filter(envelope__gt="").order_by("-pk")
    opened = unsealable = misindexed = 0
    for envelope, *found in sealed.values_list("envelope", *(index.name for index in indexes))[
        :size
    ]:
        try:
            text = decrypt(envelope, context=field.context)
        except DecryptionError:
            unsealable += 1
        else:
            opened += 1
            misindexed += found != [blind_index(text, context=index.context) for index in indexes]
    return Sample(opened, unsealable, misindexed)
