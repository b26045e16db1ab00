"""Base classes of parameters and results of tools, and their JSON schemas."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Annotated, Any, ClassVar, Literal, Self

import orjson
from pydantic import (
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PrivateAttr,
    create_model,
)
from pydantic.alias_generators import to_camel

from banking.money import usd
from foundation.files import Download

Schema = dict[str, Any]

BusinessUserId = Annotated[
    str | None,
    Field(
        max_length=64,
        description="Accountants: the client's externalId, from list_customers. "
        "Owners leave it out.",
    ),
]
CustomerExternalId = Annotated[
    str,
    Field(
        max_length=64,
        description="Accountants: the client's externalId from list_customers or select_customer. "
        "Owners: businessUserId or externalId from svc_get_current_user.",
    ),
]
ExternalId = Annotated[str, Field(max_length=64)]
Date = Annotated[date, Field(ge=date(1900, 1, 1), le=date(2999, 12, 31))]
StartDate = Annotated[Date, Field(description="First day (UTC), inclusive.")]
EndDate = Annotated[Date, Field(description="Last day (UTC), inclusive.")]
Year = Annotated[int, Field(ge=1900, le=2999, description="Calendar year; left out: all years.")]
Page = Annotated[int, Field(ge=0, le=1_000_000, description="Page number, from 0.")]
RecordCount = Annotated[int, Field(ge=1, le=100, description="Rows per page.")]
PageFrom1 = Annotated[int, Field(ge=1, le=1_000_000, description="Page number, from 1.")]
PageSize = Annotated[int, Field(ge=1, le=100, description="Rows per page.")]
Search = Annotated[str | None, Field(max_length=200)]
Dollars = Annotated[float, Field(ge=0, le=1e12)]
LeastDollars = Annotated[Dollars, Field(description="US dollars, unsigned, inclusive.")]
MostDollars = Annotated[Dollars, Field(description="US dollars, unsigned, inclusive.")]
OrNull = BeforeValidator(lambda value: None if value == "" else value)
Text = Annotated[str | None, OrNull]  # what is not known is null
Timestamp = Annotated[  # `strftime` would take ten times as long
    datetime, PlainSerializer(lambda at: f"{at.astimezone(UTC).isoformat()[:19]}Z", str)
]
Delivery = Annotated[
    Literal["inline", "link", "auto"],
    Field(description="link: base64 is null, downloadUrl has the file; auto: link above 32 KB."),
]
DateOf = Annotated[date, BeforeValidator(lambda at: at.astimezone(UTC).date())]  # in UTC

# Characters with which texts of others could steer an assistant or hide from its user: control
# characters, marks that change the direction of a text, and characters without a width.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
BREAKS = re.compile("[\t\n\r\u2028\u2029]+")


class Params(BaseModel):
    """The arguments of a tool, as JSON has them: camel case, nothing unknown, nothing converted."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True)


class Result(BaseModel):
    """Base of tool results: reads attributes of objects and serializes camel case.

    Each `*_usd` field is filled from the `*_cents` field of the same name. No field is left out;
    null means unknown.
    """

    model_config = ConfigDict(
        alias_generator=AliasGenerator(serialization_alias=to_camel),
        from_attributes=True,
        validate_by_name=True,
        json_schema_serialization_defaults_required=True,
        hide_input_in_errors=True,  # errors are logged, what is read is not
    )
    amounts: ClassVar[list[tuple[str, str]]] = []

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        names = cls.model_fields
        cls.amounts = [
            (name, f"{name.removesuffix('usd')}cents") for name in names if name.endswith("usd")
        ]

    def model_post_init(self, _context: Any) -> None:
        for dollars, cents in self.amounts:
            amount = getattr(self, cents)
            vars(self)[dollars] = None if amount is None else usd(amount)  # unchecked, so cheap

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object for assistants."""
        return self.model_dump(mode="json", by_alias=True)


class Address(Result):
    """A postal address, as far as it is known."""

    line1: Text
    line2: Text
    city: Text
    state: Text
    postal_code: Text
    country: Annotated[str, Field(description="ISO 3166 alpha-2.")]


AddressOrNull = Annotated[  # of a row without one null
    Address | None, BeforeValidator(lambda row: row if row and row.lines else None)
]


LARGE_FILE_BYTES = 32 * 1024


class FileResult(Result):
    """A file, and the link to it."""

    content_type: str
    base64: str | None
    file_name: str
    size_bytes: int
    sha256: str
    download_url: str = ""  # filled, like `expires_at`, when the file is stored
    expires_at: Timestamp | None = None
    _download: Download = PrivateAttr()

    @classmethod
    def of(cls, download: Download, **more: object) -> Self:
        """Return a file as a result, `more` being the fields that a kind of file adds."""
        result = cls.model_validate(
            {
                "content_type": download.content_type,
                "base64": b64encode(download.content).decode(),
                "file_name": download.file_name,
                "size_bytes": len(download.content),
                "sha256": hashlib.sha256(download.content).hexdigest(),
                **more,
            }
        )
        result._download = download  # noqa: SLF001 - the attribute is its own
        return result

    @property
    def download(self) -> Download:
        return self._download

    def deliver(self, delivery: str) -> Self:
        """Leave the content to the link, where that is the delivery that was asked for."""
        is_large = self.size_bytes > LARGE_FILE_BYTES
        if delivery == "link" or (delivery == "auto" and is_large):
            self.base64 = None
        return self


REMARK = "remark"  # told of a list that was shortened


def params_model(name: str, parameters: dict[str, tuple[Any, Any]]) -> type[Params]:
    """Return the model of a tool's parameters: of each its type and default, `...` for none."""
    fields: dict[str, Any] = parameters
    return create_model(name, __base__=Params, **fields)


def input_schema(model: type[Params]) -> Schema:
    """Return the JSON schema of parameters. Optional parameters do not allow null.

    References are resolved, because some clients do not follow them.
    """
    schema: Schema = plain(model.model_json_schema(), may_be_null=False)
    definitions = schema.pop("$defs", {})
    properties = schema.get("properties", {})
    return schema | {
        "properties": {name: _resolved(part, definitions) for name, part in properties.items()}
    }


def output_schema(model: type[Result]) -> Schema:
    """Return the JSON schema of a result, or of the error that may come instead.

    Clients of some makes check errors against it, too. A result with a list may have a remark.
    """
    schema: Schema = plain(model.model_json_schema(mode="serialization"), may_be_null=True)
    if any(part.get("type") == "array" for part in schema["properties"].values()):
        schema["properties"][REMARK] = {"type": "string"}
    definitions = schema.pop("$defs", {})
    failure = {"properties": {"error": {"type": "object"}}, "required": ["error"]}
    either: Schema = {"type": "object", "anyOf": [schema, failure]}
    return either | ({"$defs": definitions} if definitions else {})


def plain(schema: Schema, *, may_be_null: bool) -> Schema:
    """Return a schema without generated titles and docstrings, "X or null" folded into X.

    That of a result (`may_be_null`) has no defaults either: nothing is left out.
    """
    parts: Schema = {}
    for key, value in schema.items():
        if key in {"properties", "$defs"}:
            parts[key] = {
                name: plain(
                    {**part, "description": None} if key == "$defs" else part,
                    may_be_null=may_be_null,
                )
                for name, part in value.items()
            }
        elif key == "anyOf":
            parts[key] = [plain(part, may_be_null=may_be_null) for part in value]
        elif key in {"items", "additionalProperties"} and isinstance(value, dict):
            parts[key] = plain(value, may_be_null=may_be_null)
        elif not (_is_noise(schema, key) or (key == "default" and may_be_null)):
            parts[key] = value
    return _folded(parts, may_be_null=may_be_null) if "anyOf" in parts else parts


def cleaned(value: Any) -> Any:
    """Return a JSON value whose texts hold nothing that cannot be seen; breaks become spaces."""
    if isinstance(value, str):
        return UNSEEN.sub("", BREAKS.sub(" ", value))
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {key: cleaned(item) for key, item in value.items()}
    return value


def rendered(value: Any) -> bytes:
    """Return a value as JSON; timestamps are written like a `Timestamp`. Raises: TypeError."""
    return orjson.dumps(value, option=orjson.OPT_UTC_Z | orjson.OPT_OMIT_MICROSECONDS)


def is_clean(text: str) -> bool:
    """Say whether a text of JSON surely holds nothing unseen; most texts are plain ASCII."""
    return text.isascii() and "\\" not in text and "\x7f" not in text


def allowed(schema: Schema) -> str:
    """Describe the allowed values of a parameter's schema in words."""
    if "enum" in schema:
        return "one of " + ", ".join(schema["enum"])
    kind: str = schema.get("type", "")
    words = {
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "string": "a text",
    }
    if schema.get("format") == "date":
        return "a date from 1900-01-01 to 2999-12-31, as YYYY-MM-DD"
    return words.get(kind, "a value") + "".join(_bounds(schema))


def _bounds(schema: Schema) -> Iterator[str]:
    if "minimum" in schema and "maximum" in schema:
        yield f" from {schema['minimum']:.0f} to {schema['maximum']:.0f}"
    if "pattern" in schema:
        yield f" like {schema['pattern']}"
    if "maxLength" in schema:
        yield f" of at most {schema['maxLength']} characters"


def _is_noise(schema: Schema, key: str) -> bool:
    """Say whether a keyword tells an assistant nothing; docstrings are for readers of code.

    Docstrings are the descriptions of models and, blanked by `plain`, of definitions.
    """
    return (
        key == "title"
        or (key in {"default", "description"} and schema[key] is None)
        or (key == "description" and "properties" in schema)
    )


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    """Return a schema with its references replaced by their definitions."""
    target = schema.get("$ref", "").removeprefix("#/$defs/")
    own = {key: value for key, value in schema.items() if key != "$ref"}
    return {**definitions.get(target, {}), **own}


def _folded(schema: Schema, *, may_be_null: bool) -> Schema:
    others = [option for option in schema["anyOf"] if option != {"type": "null"}]
    if len(others) != 1 or len(others) == len(schema["anyOf"]):
        return schema
    folded: Schema = others[0] | {key: schema[key] for key in schema if key != "anyOf"}
    if not may_be_null:
        return folded
    if "type" not in folded:  # a reference: nothing can be added to it
        return schema
    return folded | {"type": [folded["type"], "null"]}
