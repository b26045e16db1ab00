"""Inspect the encrypted columns of all tables: the keys in use, and whether values decrypt."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Count, Value
from django.db.models.functions import Cast, Left, StrIndex, Substr

from foundation.privacy.encryption import UNBOUND, DecryptionError, blind_indexes, decrypt
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


def blind_index_fields() -> list[BlindIndexField]:
    """Return the blind indexes of all models."""
    return [
        index
        for model in apps.get_models()
        for index in model._meta.local_concrete_fields
        if isinstance(index, BlindIndexField)
    ]


def envelopes(field: EncryptedField) -> models.QuerySet[Any]:
    """Return all rows of a field's model, with the ciphertext as `envelope`.

    Reading the field itself would decrypt it.
    """
    envelope = Cast(field.name, models.TextField())
    rows: models.QuerySet[Any] = models.QuerySet(field.model).annotate(envelope=envelope)
    return rows


def batches(rows: models.QuerySet[Any], *names: str, size: int) -> Iterator[list[Any]]:
    """Yield tuples of the key and the named columns in batches. Each batch is read when asked for.

    Rows may change between two batches; rows that are inserted behind the last key are read, too.
    """
    ordered = rows.order_by("pk").values_list("pk", *names)
    batch = list(ordered[:size])
    while batch:
        yield batch
        batch = list(ordered.filter(pk__gt=batch[-1][0])[:size])


def count_by_key(field: EncryptedField) -> dict[str, int]:
    """Return the number of values per encryption key, by the key's id. Reads every row."""
    encrypted = envelopes(field).filter(envelope__gt="").order_by()
    rest = Substr("envelope", 4)  # after the version
    key_id = Left(rest, StrIndex(rest, Value(".")) - 1)
    return dict(encrypted.values_list(key_id).annotate(count=Count("pk")))


def count_unbound(field: EncryptedField) -> int:
    """Return the number of values that are not bound to their row. Reads every row."""
    start = Left("envelope", len(UNBOUND) + 1)
    rows: models.QuerySet[Any] = envelopes(field).alias(start=start)
    return rows.filter(start=f"{UNBOUND}.").count()


def count_by_index_key(index: BlindIndexField) -> dict[str, int]:
    """Return the number of blind indexes per key, by the key's id. Reads every row."""
    rows: models.QuerySet[Any] = models.QuerySet(index.model).exclude(**{index.name: ""}).order_by()
    found = rows.values_list(index_key_prefix(index)).annotate(count=Count("pk"))
    return {prefix.removesuffix("."): count for prefix, count in found}


def index_key_prefix(index: BlindIndexField) -> Left:
    """Return an expression for the key's id in a blind index, with its dot; empty without one."""
    return Left(index.name, StrIndex(index.name, Value(".")))


def decrypt_sample(field: EncryptedField, *, size: int) -> Sample:
    """Decrypt the `size` newest values of a field, check their blind indexes, and count faults."""
    indexes = [
        index
        for index in blind_index_fields()
        if index.model is field.model and index.of == field.name
    ]
    encrypted = envelopes(field).filter(envelope__gt="").order_by("-pk")
    names = [*field.bound_to, *(index.name for index in indexes)]
    decrypted = undecryptable = misindexed = 0
    for envelope, *found in encrypted.values_list("envelope", *names)[:size]:
        row = field.name_row(found[: len(field.bound_to)])
        try:
            text = decrypt(envelope, context=field.context, row=row)
        except DecryptionError:
            undecryptable += 1
        else:
            decrypted += 1
            misindexed += any(
                stored not in (_possible(index, text) or [""])
                for index, stored in zip(indexes, found[len(field.bound_to) :], strict=True)
            )
    return Sample(decrypted, undecryptable, misindexed)


def _possible(index: BlindIndexField, number: str) -> list[str]:
    """Return the indexes of a number under each key."""
    return blind_indexes(index.indexed_part(number), context=index.context)
