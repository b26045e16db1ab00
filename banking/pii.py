"""Personal numbers: sealed at rest, found by a blind index, shown by their last four at most.

Source: AES-256-GCM of NIST SP 800-38D with 96-bit random nonces; the blind index is HMAC-SHA-256.
"""

import base64
import functools
import hashlib
import hmac
import os
import re
from collections.abc import Iterable
from typing import Any, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import FieldError, ImproperlyConfigured
from django.db import models
from django.db.models.lookups import Exact, IsNull

VERSION = "e1"
NONCE_BYTES = 12
SHOWN = 4
KEY = re.compile(r"(?P<id>[A-Za-z0-9_-]+):(?P<digits>[0-9A-Fa-f]{64})")

Row = TypeVar("Row", bound=models.Model)


class Unsealable(Exception):
    """A sealed value that no key opens: its key is gone, or it was moved or changed."""


def seal(text: str, *, context: str) -> str:
    """Encrypt `text` under the primary key; it opens only in the same `context`.

    Shape: `e1.<key id>.<base64url of nonce and ciphertext>`.
    """
    nonce = os.urandom(NONCE_BYTES)
    sealed = _keys()[primary_key_id()].encrypt(nonce, text.encode(), context.encode())
    return primary_prefix() + base64.urlsafe_b64encode(nonce + sealed).decode()


def unseal(sealed: str, *, context: str) -> str:
    """Decrypt what `seal` returned. Raises: Unsealable."""
    try:
        version, key_id, body = sealed.split(".")
        if version != VERSION:
            raise ValueError(version)
        raw = base64.urlsafe_b64decode(body)
        opened = _keys()[key_id].decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], context.encode())
    except (ValueError, KeyError, InvalidTag) as exc:
        raise Unsealable(f"No key opens this value of {context}.") from exc
    return opened.decode()


def blind_index(text: str, *, context: str) -> str:
    """Return a keyed fingerprint: equal numbers match, however they are punctuated.

    Shape: 32 hex digits; empty for a text without letters and digits.
    """
    normal = "".join(character for character in text if character.isalnum()).upper()
    if not normal:
        return ""
    message = f"{context}\0{normal}".encode()
    return hmac.digest(settings.PII_INDEX_KEY.encode(), message, hashlib.sha256).hex()[:32]


def last_four(text: str) -> str:
    """Return the last four characters, or none where they would be half of the number or more."""
    return text[-SHOWN:] if len(text) > 2 * SHOWN else ""


def mask(text: str) -> str:
    """Return what may be shown: bullets and the last four characters."""
    return f"••••{last_four(text)}" if text else ""


def parse_keys(setting: str) -> dict[str, bytes]:
    """Return the keys of a value of PII_KEYS by their ids. Raises: ImproperlyConfigured."""
    pairs = [KEY.fullmatch(pair.strip()) for pair in setting.split(",")]
    keys = {pair["id"]: bytes.fromhex(pair["digits"]) for pair in pairs if pair}
    if len(keys) < len(pairs):
        raise ImproperlyConfigured("PII_KEYS must read id:64 hex digits,… with each id once.")
    return keys


def primary_key_id() -> str:
    """Return the id of the key that seals."""
    return next(iter(_keys()))


def primary_prefix() -> str:
    """Return how each value begins that the primary key has sealed."""
    return f"{VERSION}.{primary_key_id()}."


class SealedField(models.TextField):  # type: ignore[type-arg]  # not at run time
    """A text that is encrypted in the database, bound to this model and field.

    It can be filtered on by `isnull` and by the empty text alone: use a `BlindIndexField`. No form
    is made of it by itself.
    """

    @property
    def context(self) -> str:
        """Return what the ciphertext is bound to."""
        return f"{self.model._meta.label_lower}.{self.name}"

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return seal(value, context=self.context) if value else value

    def from_db_value(self, value: Any, _expression: Any, _connection: Any) -> Any:
        return unseal(value, context=self.context) if value else value

    def get_lookup(self, lookup_name: str) -> Any:
        return {"exact": IsBlank, "isnull": IsNull}.get(lookup_name)

    def formfield(self, **_options: Any) -> None:
        """Return nothing: a form that must ask for the number declares a field of its own."""


class IsBlank(Exact):
    """The one comparison that a `SealedField` allows: with the empty text."""

    def get_prep_lookup(self) -> Any:
        if self.rhs != "":
            raise FieldError("A sealed field compares with the empty text only.")
        return self.rhs


class BlindIndexField(models.CharField):  # type: ignore[type-arg]  # not at run time
    """The blind index of a `SealedField` beside it, computed whenever that is saved.

    Indexes of the same `context` match across models. The model is a `SealedModel`.
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
        if not issubclass(self.model, SealedModel) or not isinstance(rows, SealedQuerySet):
            hint = "Inherit from SealedModel, and its QuerySet from SealedQuerySet."
            faults.append(Error("The index would not be kept.", hint=hint, obj=self, id="pii.E001"))
        return faults

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        value = blind_index(getattr(model_instance, self.of), context=self.context)
        setattr(model_instance, self.attname, value)
        return value

    def follow(self, row: models.Model) -> None:
        """Make the index as deferred as its number: neither is saved without the other."""
        if self.of in vars(row):
            vars(row).setdefault(self.attname, "")
        else:
            vars(row).pop(self.attname, None)


class SealedQuerySet(models.QuerySet[Row]):
    """Rows whose blind indexes change with the numbers that they are of."""

    def update(self, **values: Any) -> int:
        for index in _indexes(self.model):
            if index.of not in values or index.name in values:
                continue
            if not isinstance(values[index.of], str):
                raise FieldError("A sealed field is updated with a text, not with an expression.")
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


class SealedModel(models.Model):
    """A model with blind indexes, which are saved whenever the numbers that they are of are."""

    class Meta:
        abstract = True

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **options: Any) -> None:
        if update_fields is not None:
            update_fields = with_indexes(type(self), update_fields)
        for index in _indexes(type(self)):
            index.follow(self)
        super().save(*args, update_fields=update_fields, **options)


@functools.cache
def sealed_names(model: type[models.Model]) -> list[str]:
    """Return the names of the fields whose values are sealed: `defer` them, and none is opened."""
    return [field.name for field in model._meta.concrete_fields if isinstance(field, SealedField)]


def with_indexes(model: type[models.Model], names: Iterable[str]) -> list[str]:
    """Return the names of fields to store, with the blind indexes of the numbers among them."""
    names = set(names)
    return sorted(names | {index.name for index in _indexes(model) if index.of in names})


def _indexes(model: type[models.Model]) -> list[BlindIndexField]:
    return [field for field in model._meta.concrete_fields if isinstance(field, BlindIndexField)]


def _keys() -> dict[str, AESGCM]:
    return _parsed_keys(settings.PII_KEYS)


@functools.cache
def _parsed_keys(setting: str) -> dict[str, AESGCM]:
    return {key_id: AESGCM(key) for key_id, key in parse_keys(setting).items()}
