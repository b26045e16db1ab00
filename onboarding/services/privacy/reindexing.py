"""Re-indexing: blind indexes, computed anew after a change of the first of PII_INDEX_KEYS."""

import logging
from collections.abc import Iterator, Sequence
from typing import Any, cast

from django.db import models, transaction

from foundation.privacy.encrypted_columns import (
    batches,
    blind_index_fields,
    envelopes,
    index_key_prefix,
)
from foundation.privacy.encryption import DecryptionError, blind_index, decrypt, index_key_ids
from foundation.privacy.fields import BlindIndexField, EncryptedField
from onboarding.services.privacy.reencryption import Counts

logger = logging.getLogger(__name__)


def count_outdated(index: BlindIndexField) -> int:
    """Return the number of values whose blind index is not under the first of PII_INDEX_KEYS."""
    return _outdated(index).count()


def reindex(*, batch_size: int) -> Iterator[Counts]:
    """Compute every blind index of an older key with the first key, one committed batch per step.

    Numbers are found meanwhile, since searches ask for the indexes of all keys. A row that changed
    since it was read is left alone. An interrupted run can be repeated: it finds the remaining
    indexes by their keys.
    """
    for index in blind_index_fields():
        names = ("envelope", index.name, *_number(index).bound_to)
        for batch in batches(_outdated(index), *names, size=batch_size):
            yield _reindex(index, batch)


def _reindex(index: BlindIndexField, batch: Sequence[tuple[Any, ...]]) -> Counts:
    number, fresh = _number(index), []
    for pk, envelope, old, *identity in batch:
        try:
            text = decrypt(envelope, context=number.context, row=number.name_row(identity))
        except DecryptionError as exc:
            logger.warning("%s", exc)
        else:
            part = index.indexed_part(text)
            fresh.append((pk, envelope, old, blind_index(part, context=index.context)))
    with transaction.atomic():
        renewed = sum(_replace(index, *change) for change in fresh)
    return Counts(renewed, len(fresh) - renewed, len(batch) - len(fresh))


def _replace(index: BlindIndexField, pk: Any, envelope: str, old: str, new: str) -> int:
    unchanged = envelopes(_number(index)).filter(pk=pk, envelope=envelope, **{index.name: old})
    return unchanged.update(**{index.name: new})


def _outdated(index: BlindIndexField) -> models.QuerySet[Any]:
    first = index_key_ids()[0]
    rows = envelopes(_number(index)).exclude(**{index.name: ""})
    keyed: models.QuerySet[Any] = rows.alias(key=index_key_prefix(index))
    return keyed.exclude(key=f"{first}." if first else "")


def _number(index: BlindIndexField) -> EncryptedField:
    return cast(EncryptedField, index.model._meta.get_field(index.of))
