"""Model fields for personal numbers: encrypted values, and blind indexes to find them by."""

import copy
import functools
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.core.checks import CheckMessage, Error
from django.core.exceptions import FieldError
from django.db import models
from django.db.models.lookups import Exact, IsNull

from foundation.privacy.encryption import BOUND, DecryptionError, blind_index, decrypt, encrypt

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=models.Model)


class Ciphertext(str):
    """An encrypted value, as the database holds it."""


class EncryptedField(models.TextField):  # type: ignore[type-arg]  # not at run time
    """A text that is encrypted in the database, bound to its model, field and row.

    `bound_to` are the fields that identify the row: they are known before the row is inserted and
    never change. Queries can compare the text with null and the empty text only: use a
    `BlindIndexField` to find other texts. Only an instance can save a text: the `update` of a
    queryset names no row. Model forms leave the field out, and fixtures have it encrypted.
    """

    non_db_attrs = (*models.TextField.non_db_attrs, "bound_to")

    def __init__(
        self, *args: Any, bound_to: Sequence[str] = ("external_id",), **options: Any
    ) -> None:
        self.bound_to = tuple(bound_to)
        super().__init__(*args, **options)

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        name, path, args, options = super().deconstruct()
        if self.bound_to != ("external_id",):
            options["bound_to"] = self.bound_to
        return name, path, args, options

    @functools.cached_property
    def context(self) -> str:
        """Return model and name of the field, to which the ciphertext is bound."""
        return f"{self.model._meta.label_lower}.{self.name}"

    @functools.cached_property
    def _identity(self) -> list[Any]:
        return [self.model._meta.get_field(name) for name in self.bound_to]

    def name_row(self, identity: Sequence[Any]) -> str:
        """Return the name of a row, made of its values of the fields in `bound_to`.

        Raises: FieldError if a value is None, as before the row is inserted.
        """
        if None in identity:
            raise FieldError(f"{self.context} is saved after the row's {self.bound_to}.")
        return "/".join(part.hex if isinstance(part, UUID) else str(part) for part in identity)

    def encrypt_for(self, row: models.Model) -> Any:
        """Return the value of an instance, encrypted for its row; empty values stay as they are.

        Raises: FieldError if a field of `bound_to` is None.
        """
        value = getattr(row, self.attname)
        if not value or isinstance(value, Ciphertext):
            return value
        identity = [column.to_python(getattr(row, column.attname)) for column in self._identity]
        return Ciphertext(encrypt(str(value), context=self.context, row=self.name_row(identity)))

    def decrypt_for(self, encrypted: str, row: str) -> str:
        """Decrypt a value of the named row. Logs and raises: DecryptionError."""
        try:
            return decrypt(encrypted, context=self.context, row=row)
        except DecryptionError as exc:
            logger.error("%s", exc)
            raise

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        return self.encrypt_for(model_instance)

    def get_prep_value(self, value: Any) -> Any:
        """Return ciphertext and empty values unchanged, and a placeholder for any other text.

        Queries can compare an encrypted column with null and the empty text only.
        """
        value = models.Field.get_prep_value(self, value)
        return value if not value or isinstance(value, Ciphertext) else "…"

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        if value and not (isinstance(value, Ciphertext) or hasattr(value, "as_sql")):
            raise FieldError(f"{self.context} is saved with its row, not by an update of many.")
        return (
            value if isinstance(value, Ciphertext) else super().get_db_prep_save(value, connection)
        )

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:
        """Select the row's name with the value, which is decrypted for this row only.

        Raises: FieldError if the field is not selected as a column of its table.
        """
        quote = compiler.connection.ops.quote_name
        table = sql.removesuffix(quote(self.column))
        if table == sql:
            raise FieldError(f"{self.context} is selected as a column of its table.")
        is_native = compiler.connection.features.has_native_uuid_field
        parts = []
        for column in self._identity:
            part = f"CAST({table}{quote(column.column)} AS text)"
            is_uuid = is_native and isinstance(column, models.UUIDField)
            parts.append(f"replace({part}, '-', '')" if is_uuid else part)
        name = " || '/' || ".join(parts)
        return f"({name} || ' ' || {sql})", params

    def from_db_value(self, value: Any, _expression: Any, _connection: Any) -> Any:
        row, _, encrypted = (value or "").rpartition(" ")
        return self.decrypt_for(encrypted, row) if encrypted else value and encrypted

    def value_to_string(self, obj: models.Model) -> str:
        """Return the encrypted value, for fixtures."""
        return str(self.encrypt_for(obj))

    def to_python(self, value: Any) -> Any:
        """Return an encrypted value of a fixture as Ciphertext, and any other value unchanged."""
        is_ciphertext = isinstance(value, str) and value.startswith(f"{BOUND}.")
        return Ciphertext(value) if is_ciphertext else value

    def clean(self, value: Any, model_instance: models.Model | None) -> Any:
        self.validate(value, model_instance)
        self.run_validators(value)
        return value

    def get_lookup(self, lookup_name: str) -> Any:
        return {"exact": IsBlank, "isnull": IsNull}.get(lookup_name)

    def formfield(self, **_options: Any) -> None:
        """Return None: a form that asks for the number declares a field of its own."""


class IsBlank(Exact):
    """The comparison of an `EncryptedField` with the empty text, the only one allowed."""

    def get_prep_lookup(self) -> Any:
        if self.rhs != "":
            raise FieldError("An encrypted field compares with the empty text only.")
        return self.rhs


class BlindIndexField(models.CharField):  # type: ignore[type-arg]  # not at run time
    """The blind index of an `EncryptedField` of the same model, computed when that is saved.

    Indexes of the same `context` match across models. The model must be an `EncryptedModel`.
    With `last`, only that many characters at the end of the number are indexed.
    """

    def __init__(self, *, of: str = "", context: str = "", last: int = 0, **options: Any) -> None:
        self.of, self.context, self.last = of, context, last
        super().__init__(
            **{"max_length": 32, "blank": True, "default": "", "editable": False, **options}
        )

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        name, path, args, options = super().deconstruct()
        own = {"of": self.of, "context": self.context}
        return name, path, args, {**options, **own, **({"last": self.last} if self.last else {})}

    def indexed_part(self, number: str) -> str:
        """Return the part of a number that is indexed: all of it, or its last characters."""
        return "".join(filter(str.isalnum, number))[-self.last :] if self.last else number

    def check(self, **options: Any) -> list[CheckMessage]:
        faults: list[CheckMessage] = super().check(**options)
        rows = self.model._default_manager.all()  # noqa: SLF001 - Django's name for it
        if not issubclass(self.model, EncryptedModel) or not isinstance(rows, EncryptedQuerySet):
            hint = "Inherit from EncryptedModel, and its QuerySet from EncryptedQuerySet."
            faults.append(
                Error("The index would not follow its field.", hint=hint, obj=self, id="pii.E001")
            )
        return faults

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        part = self.indexed_part(getattr(model_instance, self.of) or "")
        value = blind_index(part, context=self.context)
        setattr(model_instance, self.attname, value)
        return value

    def follow(self, row: models.Model) -> None:
        """Defer the index of `row` exactly if its number is deferred: both are saved together."""
        if self.of in vars(row):
            vars(row).setdefault(self.attname, "")
        else:
            vars(row).pop(self.attname, None)


class EncryptedQuerySet(models.QuerySet[Row]):
    """A queryset whose writes keep blind indexes equal to their encrypted fields."""

    def update(self, **values: Any) -> int:
        for index in _indexes(self.model):
            if index.of in values and index.name not in values:
                if values[index.of] != "":
                    raise FieldError("An encrypted field is emptied by an update, or saved.")
                values[index.name] = ""
        return super().update(**values)

    def bulk_update(
        self, objs: Iterable[Row], fields: Iterable[str], batch_size: int | None = None
    ) -> int:
        rows, names = list(objs), with_indexes(self.model, fields)
        for index in _indexes(self.model):
            if index.name in names:
                for row in rows:
                    index.pre_save(row, add=False)
        if numbers := [name for name in encrypted_names(self.model) if name in names]:
            rows = [_encrypted(row, numbers) for row in rows]
        return super().bulk_update(rows, names, batch_size=batch_size)

    def bulk_create(self, objs: Iterable[Row], *args: Any, **options: Any) -> list[Row]:
        if set(options.get("update_fields") or ()) & set(encrypted_names(self.model)):
            raise FieldError("An encrypted field is not updated by an insert: its row differs.")
        return super().bulk_create(objs, *args, **options)


class EncryptedModel(models.Model):
    """A model that saves each blind index together with its encrypted field."""

    class Meta:
        abstract = True

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **options: Any) -> None:
        if update_fields is not None:
            update_fields = with_indexes(type(self), update_fields)
        for index in _indexes(type(self)):
            index.follow(self)
        super().save(*args, update_fields=update_fields, **options)


@functools.cache
def encrypted_names(model: type[models.Model]) -> tuple[str, ...]:
    """Return the names of the encrypted fields. `defer` them where no value is needed."""
    fields = model._meta.concrete_fields
    return tuple(field.name for field in fields if isinstance(field, EncryptedField))


def encrypted_paths(model: type[models.Model], related: Mapping[str, Any]) -> list[str]:
    """Return the paths to the encrypted fields of a model and of the rows selected with it.

    `related` is the `select_related` of a query: the names of relations, and below each its own.
    """
    paths = list(encrypted_names(model))
    for name, below in related.items():
        joined: Any = model._meta.get_field(name).related_model
        paths += [f"{name}__{path}" for path in encrypted_paths(joined, below)]
    return paths


def with_indexes(model: type[models.Model], names: Iterable[str]) -> list[str]:
    """Add to the names of fields the names of the blind indexes that follow them."""
    names = set(names)
    return sorted(names | {index.name for index in _indexes(model) if index.of in names})


def _indexes(model: type[models.Model]) -> list[BlindIndexField]:
    return [field for field in model._meta.concrete_fields if isinstance(field, BlindIndexField)]


def _encrypted(row: Row, names: Iterable[str]) -> Row:
    """Return a copy of an instance with some of its fields encrypted."""
    encrypted = copy.copy(row)
    for name in names:
        field: Any = row._meta.get_field(name)
        setattr(encrypted, name, field.encrypt_for(row))
    return encrypted
