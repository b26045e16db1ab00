"""Shapes: serializers of request bodies that report all faults in one pass.

The OpenAPI document is generated from shapes, as from other DRF serializers. There are three
differences: all threads share one instance, because building an instance is expensive; a fault is
a `Fault` with its JSON pointer; and an absent field differs from a null field.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal
from functools import cached_property
from typing import Any, ClassVar, Final

from rest_framework import serializers

from onboarding import validators
from onboarding.errors import ErrorCode, Fault, Invalid, InvalidValue
from onboarding.lead_fields import LeadField
from onboarding.names import camel
from onboarding.validators import STORABLE, TEXT

Path = tuple[str | int, ...]
NUMBER: Final = {"en": "a number", "es": "un número"}
BOOLEAN: Final = {"en": "true or false", "es": "true o false"}
LIST: Final = {"en": "a list", "es": "una lista"}
OBJECT: Final = {"en": "an object", "es": "un objeto"}


class CamelCaseMixin:
    """Serializer mixin that declares fields in snake_case and serializes camelCase.

    Fields made from `lead_fields` by `make_field` come before the fields of the class.
    """

    lead_fields: ClassVar[Sequence[LeadField]] = ()

    def get_fields(self) -> dict[str, serializers.Field]:
        renamed = {}
        made = {declared.name: self.make_field(declared) for declared in self.lead_fields}
        for name, field in {**made, **super().get_fields()}.items():
            spelled = camel(name)
            if spelled != name and field.source is None:
                field.source = name
            renamed[spelled] = field
        return renamed

    @staticmethod
    def make_field(declared: LeadField) -> serializers.Field:
        """Return the serializer field of a declared lead field."""
        raise NotImplementedError


class RequestSerializer(CamelCaseMixin, serializers.Serializer):
    """A JSON object in a request; `clean` returns its values under their Python names."""

    def clean(self, data: Any) -> dict[str, Any]:
        """Validate `data` and return its values; absent fields stay absent, null becomes None.

        Raises: Invalid, with every fault.
        """
        if not isinstance(data, Mapping):
            raise Invalid([Fault(ErrorCode.INVALID_TYPE, params={"expected": OBJECT})])
        values: dict[str, Any] = {}
        faults: list[Fault] = []
        for name, field in self.inputs:
            if data.get(name) is not None:
                try:
                    values[field.source] = field.clean(data[name])
                except (Invalid, InvalidValue) as exc:
                    faults += faults_of(exc, name)
            elif field.required:
                faults.append(Fault(ErrorCode.REQUIRED_FIELD_MISSING, (name,)))
            elif name in data:
                values[field.source] = None
        faults += self.faults_between(values)
        if faults:
            raise Invalid(faults)
        return values

    def faults_between(self, values: dict[str, Any]) -> list[Fault]:
        """Return the faults of combinations of values that are valid by themselves."""
        return []

    @cached_property
    def inputs(self) -> list[tuple[str, Any]]:
        """Return the wire names and their fields, cached."""
        return list(self.fields.items())

    @cached_property
    def nested(self) -> dict[str, Any]:
        """Return the fields that have fields of their own, by wire name, cached."""
        return {
            name: field
            for name, field in self.inputs
            if isinstance(field, (RequestSerializer, ListField))
        }

    def unknown(self, data: Any) -> Iterator[Path]:
        """Yield the path of each value in `data` that no field of the serializer takes."""
        for name in data if isinstance(data, Mapping) else ():
            if name not in self.fields.fields:
                yield (name,)
            elif nested := self.nested.get(name):
                yield from ((name, *path) for path in nested.unknown(data[name]))


class CharField(serializers.CharField):
    """A trimmed string of at most `limit` characters, which `check` validates and may convert.

    An empty string becomes None, or is refused if null is not allowed.
    """

    def __init__(
        self, *, check: Callable[[str], Any] | None = None, limit: int = 255, **options: Any
    ) -> None:
        self.check, self.limit = check, limit
        options = {"required": False, "allow_null": True, "max_length": limit, **options}
        super().__init__(**options)

    def clean(self, sent: Any) -> Any:
        if not isinstance(sent, str):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=TEXT)
        text = sent.strip()
        if "\0" in text:
            raise InvalidValue(ErrorCode.INVALID_FORMAT, expected=STORABLE)
        if not text:
            return self.blank()
        if len(text) > self.limit:
            raise InvalidValue(ErrorCode.VALUE_TOO_LONG, limit=self.limit)
        return self.check(text) if self.check else text

    def blank(self) -> None:
        """Return None for an empty string. Raises: InvalidValue if null is not allowed."""
        if not self.allow_null:
            raise InvalidValue(ErrorCode.REQUIRED_FIELD_MISSING)


class DateField(serializers.DateField):
    """An ISO 8601 date, which `check` parses and validates. Raises: InvalidValue."""

    def __init__(self, *, check: Callable[[str], Any], **options: Any) -> None:
        super().__init__(required=False, allow_null=True, **options)
        self.text = CharField(check=check)

    def clean(self, sent: Any) -> Any:
        return self.text.clean(sent)


class DateTimeField(serializers.DateTimeField):
    """An ISO 8601 timestamp with a UTC offset."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False, "allow_null": True, **options})
        self.text = CharField(check=validators.timestamp, allow_null=self.allow_null)

    def clean(self, sent: Any) -> Any:
        return self.text.clean(sent)


class ChoiceField(serializers.ChoiceField):
    """A trimmed string that must be one of the choices.

    An empty string becomes None, or is refused if null is not allowed.
    """

    def __init__(self, choices: Any, **options: Any) -> None:
        super().__init__(choices, **{"required": False, "allow_null": True, **options})

    def clean(self, sent: Any) -> str | None:
        if not isinstance(sent, str):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=TEXT)
        text = sent.strip()
        if text and text not in self.choices:
            raise InvalidValue(ErrorCode.VALUE_NOT_ALLOWED, allowed=", ".join(self.choices))
        if not text and not self.allow_null:
            raise InvalidValue(ErrorCode.REQUIRED_FIELD_MISSING)
        return text or None


class PercentField(serializers.DecimalField):
    """A percentage from 0 to 100, truncated to four decimal places."""

    RANGE = {"en": "a number from 0 to 100", "es": "un número de 0 a 100"}

    def __init__(self) -> None:
        super().__init__(
            max_digits=7, decimal_places=4, min_value=0, max_value=100, coerce_to_string=False,
            required=False, allow_null=True, help_text="0 to 100; four decimal places are kept.",
        )  # fmt: skip

    def clean(self, sent: Any) -> Decimal:
        if isinstance(sent, bool) or not isinstance(sent, (int, float)):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=NUMBER)
        if not 0 <= sent <= 100:
            raise InvalidValue(ErrorCode.VALUE_OUT_OF_RANGE, range=self.RANGE)
        return Decimal(str(sent)).quantize(Decimal("0.0001"), ROUND_DOWN)  # sums stay <= 100


class NumberField(serializers.FloatField):
    """A number from 0 to `most`."""

    def __init__(self, *, most: float, **options: Any) -> None:
        self.most = most
        super().__init__(
            **{"min_value": 0, "max_value": most, "required": False, "allow_null": True, **options}
        )

    def clean(self, sent: Any) -> float:
        if isinstance(sent, bool) or not isinstance(sent, (int, float)):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=NUMBER)
        if not 0 <= sent <= self.most:
            limits = {"en": f"from 0 to {self.most}", "es": f"de 0 a {self.most}"}
            raise InvalidValue(ErrorCode.VALUE_OUT_OF_RANGE, range=limits)
        return sent


class BooleanField(serializers.BooleanField):
    """A JSON boolean. Refuses strings and numbers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, allow_null=True, **options)

    def clean(self, sent: Any) -> bool:
        if not isinstance(sent, bool):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=BOOLEAN)
        return sent


class ListField(serializers.ListField):
    """A list of at most `limit` items. The items of a longer list are not validated."""

    child: Any

    def __init__(
        self,
        child: Any,
        *,
        limit: int,
        over: ErrorCode = ErrorCode.VALUE_OUT_OF_RANGE,
        **options: Any,
    ) -> None:
        self.limit, self.over = limit, over
        options = {"required": False, "allow_null": True, "max_length": limit, **options}
        super().__init__(child=child, **options)

    def clean(self, sent: Any) -> list[Any]:
        if not isinstance(sent, list):
            raise InvalidValue(ErrorCode.INVALID_TYPE, expected=LIST)
        if len(sent) > self.limit:
            raise InvalidValue(self.over, limit=self.limit, range=self.range)
        values: list[Any] = []
        faults: list[Fault] = []
        for position, item in enumerate(sent):
            try:
                values.append(self.child.clean(item))
            except (Invalid, InvalidValue) as exc:
                faults += faults_of(exc, position)
        if faults:
            raise Invalid(faults)
        return values

    @property
    def range(self) -> dict[str, str]:
        """Return the allowed length as localized text."""
        return {
            "en": f"a list of at most {self.limit} items",
            "es": f"una lista de {self.limit} elementos como máximo",
        }

    def unknown(self, sent: Any) -> Iterator[Path]:
        """Yield the path of each value in the items that no field of the item serializer takes."""
        if isinstance(self.child, RequestSerializer) and isinstance(sent, list):
            for position, item in enumerate(sent):
                yield from ((position, *path) for path in self.child.unknown(item))


def faults_of(exc: Invalid | InvalidValue, step: str | int) -> list[Fault]:
    """Return the faults of a value, with `step` added before each path."""
    if isinstance(exc, InvalidValue):
        return [Fault(exc.code, (step,), exc.params)]
    return [fault.under(step) for fault in exc.faults]
