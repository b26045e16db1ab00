"""Base classes and types of the parameters and results of tools."""

import hashlib
from base64 import b64encode
from datetime import UTC, date, datetime
from typing import Annotated, Any, ClassVar, Literal, Self

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
NAME = "counterparty"  # marks a field that may hold the name of somebody who is paid or pays
NameText = Annotated[str | None, OrNull, NAME]
NameStr = Annotated[str, NAME]
Timestamp = Annotated[  # `strftime` would take ten times as long
    datetime, PlainSerializer(lambda at: f"{at.astimezone(UTC).isoformat()[:19]}Z", str)
]
Delivery = Annotated[
    Literal["inline", "link", "auto"],
    Field(description="link: base64 is null, downloadUrl has the file; auto: link above 32 KB."),
]
DateOf = Annotated[date, BeforeValidator(lambda at: at.astimezone(UTC).date())]  # in UTC


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
        """Leave out the content if `delivery` is "link", or "auto" and the file is large.

        Large is more than LARGE_FILE_BYTES. Returns the result itself.
        """
        is_large = self.size_bytes > LARGE_FILE_BYTES
        if delivery == "link" or (delivery == "auto" and is_large):
            self.base64 = None
        return self


def params_model(name: str, parameters: dict[str, tuple[Any, Any]]) -> type[Params]:
    """Return the model of a tool's parameters from their types and defaults, `...` for none."""
    fields: dict[str, Any] = parameters
    return create_model(name, __base__=Params, **fields)
