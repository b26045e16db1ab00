"""The base class and the field types of the data of records, as JSON has them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, get_args, get_origin

from django.core.exceptions import ValidationError
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema

from banking.imports.transactions import MAX_CENTS
from banking.models.feed import MAX_ID

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Reference:
    """Marks a field that holds the external id of a record of another kind."""

    kind: str

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON Schema of the field, with the kind as `x-kind`."""
        return {**handler(core), "x-kind": self.kind}


@dataclass(frozen=True)
class Named:
    """The reference of a line: the place of the field, the kind and the external id in it."""

    path: Path
    kind: str
    external_id: str


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("This has control characters")
    return text


def _of_our_time(at: datetime) -> datetime:
    if not 1900 <= at.year <= 2999:
        raise ValueError("This year cannot be right")
    return at


def checked(validate: Callable[[str], None]) -> AfterValidator:
    """Return a pydantic validator of a text that calls a validator of Django.

    The ValidationError of Django becomes the ValueError that pydantic expects.
    """

    def check(text: str) -> str:
        try:
            validate(text)
        except ValidationError as exc:
            raise ValueError(" ".join(exc.messages)) from None
        return text

    return AfterValidator(check)


Text = Annotated[str, StringConstraints(max_length=255), AfterValidator(_printable)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID), AfterValidator(_printable)]
Cents = Annotated[int, Field(ge=-MAX_CENTS, le=MAX_CENTS, description="US cents.")]
PositiveCents = Annotated[int, Field(gt=0, le=MAX_CENTS, description="US cents.")]
NotNegativeCents = Annotated[int, Field(ge=0, le=MAX_CENTS, description="US cents.")]
Percent = Annotated[Decimal, Field(ge=0, le=100, max_digits=5, decimal_places=2)]
Date = Annotated[date, Field(ge=date(1900, 1, 1), le=date(2999, 12, 31))]
Timestamp = Annotated[AwareDatetime, AfterValidator(_of_our_time)]
Country = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
Last4 = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}$")]

BusinessId = Annotated[Id, Reference("businesses")]
AccountId = Annotated[Id, Reference("accounts")]
CardId = Annotated[Id, Reference("cards")]


class Data(BaseModel):
    """The data of a record, whole: a line replaces all fields, absent fields get their defaults."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=False,
        extra="forbid",
        strict=True,
        frozen=True,
        hide_input_in_errors=True,
    )
    reference_fields: ClassVar[tuple[tuple[str, str, str], ...]] = ()  # name, alias, kind
    parts: ClassVar[tuple[tuple[str, str], ...]] = ()  # name and alias of lists of further data
    part_types: ClassVar[dict[str, type["Data"]]] = {}  # the data of each list

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        fields = [(name, to_camel(name), field) for name, field in cls.model_fields.items()]
        cls.reference_fields = tuple(
            (name, alias, mark.kind)
            for name, alias, field in fields
            for mark in _marks(field.annotation, field.metadata)
        )
        lists = [one for one in fields if _is_list_of_data(one[2].annotation)]
        cls.parts = tuple((name, alias) for name, alias, _ in lists)
        cls.part_types = {name: get_args(field.annotation)[0] for name, _, field in lists}

    def references(self, *above: str | int) -> Iterator[Named]:
        """Yield each reference to another record, with its place in the line."""
        for name, alias, kind in self.reference_fields:
            if (external_id := getattr(self, name)) is not None:
                yield Named((*above, alias), kind, external_id)
        for name, alias in self.parts:
            for place, part in enumerate(getattr(self, name)):
                yield from part.references(*above, alias, place)


def _marks(annotation: Any, metadata: list[Any]) -> list[Reference]:
    """Return a list with the `Reference` of a field, also an optional one; else an empty list."""
    inner = [mark for part in get_args(annotation) for mark in _metadata(part)]
    return [mark for mark in [*metadata, *inner] if isinstance(mark, Reference)]


def _metadata(annotation: Any) -> tuple[Any, ...]:
    return getattr(annotation, "__metadata__", ())


def _is_list_of_data(annotation: Any) -> bool:
    inner = get_args(annotation) if get_origin(annotation) is list else ()
    return any(isinstance(part, type) and issubclass(part, Data) for part in inner)
