"""Serialize rows without validation, by the fields that a Result declares.

pydantic validates each value when a result is made, and looks at it again when it is serialized.
The database has checked the rows of the bank's own queries, so both steps are left out for them.
"""

from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any, Self, get_args, get_origin

from pydantic import BeforeValidator
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from banking.money import usd
from mcp_server.schema import Result

Json = dict[str, Any]


class Trusted(Result):
    """A result that serializes an object without validating its values; made by `of` alone."""

    @classmethod
    def of(cls, found: object) -> Self:
        """Return the result of an object with an attribute for each field."""
        result = cls.__new__(cls)  # without the fields, which `as_json` reads from the object
        vars(result)["found"] = found
        return result

    def as_json(self) -> Json:
        """Return the JSON object, with ids and timestamps as objects that `rendered` writes."""
        return _serializer(type(self))(vars(self)["found"])


@cache
def _serializer(shape: type[Result]) -> Callable[[Any], Json]:
    """Return a function that reads the attributes of an object into a dict of wire names."""
    cents = dict(shape.amounts)
    fields = {name: shape.model_fields[cents.get(name, name)] for name in shape.model_fields}
    read = attrgetter(
        *(str(field.validation_alias or cents.get(name, name)) for name, field in fields.items())
    )
    wire = [to_camel(name) for name in fields]
    conversions = [
        (to_camel(name), convert)
        for name, field in fields.items()
        for convert in ([_usd] if name in cents else _conversions(field))
    ]

    def serialize(found: Any) -> Json:
        serialized = dict(zip(wire, read(found), strict=True))
        for name, convert in conversions:
            serialized[name] = convert(serialized[name])
        return serialized

    return serialize


def _conversions(field: FieldInfo) -> Iterator[Callable[..., Any]]:
    """Yield the conversions of a field's values by its type.

    Supports lists of results, and validators of schema.py on the field itself; no nested result.
    """
    if get_origin(field.annotation) is list:
        [shape] = get_args(field.annotation)
        serialize = _serializer(shape)
        yield lambda rows: [serialize(row) for row in rows]
    for mark in field.metadata:
        if isinstance(mark, BeforeValidator):
            yield mark.func


def _usd(amount: int | None) -> str | None:
    return None if amount is None else usd(amount)
