"""Model fields for personal numbers: encrypted values, and blind indexes to find them by."""

import functools
from collections.abc import Iterable
from typing import Any, TypeVar

from django.core.checks import CheckMessage, Error
from django.core.exceptions import FieldError
from django.db import models
from django.db.models.lookups import Exact, IsNull

from foundation.privacy.encryption import blind_index, decrypt, encrypt

Row = TypeVar("Row", bound=models.Model)


class EncryptedField(models.TextField):  # type: ignore[type-arg]  # not at run time
    """A text that is encrypted in the database, bound to its model and field.

    Queries can compare it with null and the empty text only: use a `BlindIndexField` for others.
    Model forms leave it out.
    """

    @property
    def context(self) -> str:
        """Return model and name of the field, to which the ciphertext is bound."""
        return f"{self.model._meta.label_lower}.{self.name}"

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return encrypt(value, context=self.context) if value else value

    def from_db_value(self, value: Any, _expression: Any, _connection: Any) -> Any:
        return decrypt(value, context=self.context) if value else value

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
    """

    def __init__(self, *, of: str = "", context: str = "", **options: Any) -> None:
        self.of, self.context = of, context
        super().__init__(
            **{"max_length": 32, "blank": True, "default": "", "editable": False, **options}
        )

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        name, path, args, options = super().deconstruct()
        return name, path, args, {**options, "of": self.of, "context": self.context}

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
        value = blind_index(getattr(model_instance, self.of), context=self.context)
        setattr(model_instance, self.attname, value)
        return value

    def follow(self, row: models.Model) -> None:
        """Defer the index exactly if its number is deferred: they are saved together."""
        if self.of in vars(row):
            vars(row).setdefault(self.attname, "")
        else:
            vars(row).pop(self.attname, None)


class EncryptedQuerySet(models.QuerySet[Row]):
    """A queryset whose writes keep blind indexes equal to their encrypted fields."""

    def update(self, **values: Any) -> int:
        for index in _indexes(self.model):
            if index.of not in values or index.name in values:
                continue
            if not isinstance(values[index.of], str):
                raise FieldError(
                    "An encrypted field is updated with a text, not with an expression."
                )
            values[index.name] = blind_index(values[index.of], context=index.context)
        return super().update(**values)

    def bulk_update(
        self, objs: Iterable[Row], fields: Iterable[str], batch_size: int | None = None
    ) -> int:
        rows, names = list(objs), with_indexes(self.model, fields)
        for index in _indexes(self.model):
            if index.name in names:
                for row in rows:
                    index.pre_save(row, add=False)
        return super().bulk_update(rows, names, batch_size=batch_size)

    def bulk_create(self, objs: Iterable[Row], *args: Any, **options: Any) -> list[Row]:
        if options.get("update_fields"):
            options["update_fields"] = with_indexes(self.model, options["update_fields"])
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
def encrypted_names(model: type[models.Model]) -> list[str]:
    """Return the names of the encrypted fields. `defer` them where no value is needed."""
    return [
        field.name for field in model._meta.concrete_fields if isinstance(field, EncryptedField)
    ]


def with_indexes(model: type[models.Model], names: Iterable[str]) -> list[str]:
    """Add to the names of fields the names of the blind indexes that follow them."""
    names = set(names)
    return sorted(names | {index.name for index in _indexes(model) if index.of in names})


def _indexes(model: type[models.Model]) -> list[BlindIndexField]:
    return [field for field in model._meta.concrete_fields if isinstance(field, BlindIndexField)]
