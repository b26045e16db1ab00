"""External ids, the only ids that callers ever see: the column, and the parsing of a text."""

from collections.abc import Iterable
from typing import ClassVar
from uuid import UUID

from django.db import models
from uuid_utils.compat import uuid7

MAX_LENGTH = 36
NOBODY = UUID(int=0)
SEPARATOR = "."  # of the parts of a name


class ExternalIdModel(models.Model):
    """A row that callers and logs name by its external id."""

    named_by: ClassVar[tuple[str, ...]] = ("external_id",)

    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.external_id}"


def name_of(row: models.Model) -> str:
    """Return the name of a row: its values at the lookups of `named_by`, joined by SEPARATOR.

    These values are unique together.
    """
    paths: tuple[str, ...] = getattr(row, "named_by")  # noqa: B009 - not each model has it
    return join(_value(row, path) for path in paths)


def join(values: Iterable[object]) -> str:
    """Return the name of a row from its values at the lookups of `named_by`."""
    return SEPARATOR.join(map(str, values))


def _value(row: models.Model, path: str) -> object:
    value: object = row
    for part in path.split("__"):
        value = getattr(value, part)
    return value


def parse(text: str | UUID) -> UUID:
    """Return the id that a text spells; for any other text `NOBODY`, which no row has."""
    if isinstance(text, UUID):
        return text
    if len(text) > MAX_LENGTH:  # Python would take braces and dashes without end
        return NOBODY
    try:
        return UUID(text)
    except ValueError:
        return NOBODY
