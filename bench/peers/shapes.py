"""What a partner may send and receives, in pydantic: for FastAPI and Django Ninja."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator as Check
from pydantic import (
    Base64Bytes,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    EmailStr,
    Field,
    PlainSerializer,
    StrictBool,
    model_validator,
)
from pydantic.alias_generators import to_camel

from bench.peers import rules
from bench.peers.keys import masked

Text = Annotated[str, Field(max_length=255)]
Name = Annotated[str, Field(max_length=100)]
City = Annotated[str, Field(max_length=30)]
PostalCode = Annotated[str, Field(max_length=16)]
Email = Annotated[EmailStr, Field(max_length=254), Check(str.lower)]
Phone = Annotated[str, Check(rules.phone_number)]
Ssn = Annotated[str, Check(rules.ssn)]
Country = Annotated[str, Check(rules.country)]
State = Annotated[str, Check(rules.state)]
Region = Annotated[str, Field(max_length=255), Check(rules.region)]
BirthDate = Annotated[date, Check(rules.birth_date)]
Percent = Annotated[Decimal, Field(ge=0, le=100), Check(rules.percent)]
LastFour = Annotated[str, PlainSerializer(masked)]
Metadata = Annotated[
    dict[
        Annotated[str, Field(min_length=1, max_length=rules.METADATA_KEY_MAX)],
        Annotated[str, Field(max_length=rules.METADATA_VALUE_MAX)] | None,
    ],
    Field(max_length=rules.METADATA_KEYS_MAX),
]


class Shape(BaseModel):
    """Speaks camelCase, and reads attributes."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        str_strip_whitespace=True,
        from_attributes=True,
    )


class Address(Shape):
    """A postal address."""

    line1: Text | None = None
    line2: Text | None = None
    city: City | None = None
    state: Region | None = None
    postal_code: PostalCode | None = None
    country: Country | None = None

    @model_validator(mode="after")
    def check(self) -> Self:
        """Judge state and postal code by the country."""
        rules.check_address(self.state or "", self.postal_code or "", self.country or "")
        return self


class PersonIn(Shape):
    """What the applicant and the other owners have in common."""

    phone_number: Phone | None = None
    ssn: Ssn | None = None
    birth_date: BirthDate | None = None
    first_name: Name | None = None
    last_name: Name | None = None
    passport_number: Text | None = None
    id_gov_number: Text | None = None
    id_country: Country | None = None
    id_expiration_date: date | None = None
    ownership_percent: Percent | None = None
    is_control_person: StrictBool | None = None
    title: Name | None = None


class OwnerIn(PersonIn):
    """An owner besides the applicant."""

    email: Email | None = None
    role: Literal[rules.OWNER_ROLES] | None = None
    address: Address | None = None


class DocumentIn(Shape):
    """A document with its content."""

    content: Annotated[Base64Bytes, Field(max_length=rules.DOCUMENT_MAX_BYTES)]
    content_type: Annotated[str, Field(max_length=127)]
    file_name: Text
    llc_file_type: Literal[rules.FILE_TYPES] | None = None


class AnswerIn(Shape):
    """An answered question."""

    question: Text | None = None
    answer: Text | None = None
    question_id: Text | None = None


class LeadIn(PersonIn):
    """What a partner may send about an applicant and the business."""

    email: Email
    line1: Text | None = None
    line2: Text | None = None
    city: City | None = None
    state: Region | None = None
    country: Country | None = None
    postal_code: PostalCode | None = None
    ein: Annotated[str, Check(rules.ein)] | None = None
    business_name: Text | None = None
    business_address: Address | None = None
    mailing_address: Address | None = None
    business_type: Literal[rules.BUSINESS_TYPES] | None = None
    incorporation_state: State | None = None
    unique_id: Text | None = None
    duns: Annotated[str, Check(rules.duns)] | None = None
    naics_code: Annotated[str, Check(rules.naics_code)] | None = None
    campaign: Text | None = None
    details: Metadata | None = Field(None, alias="metadata")
    edd_answers: list[AnswerIn] | None = Field(
        None, alias="eddQuestionData", max_length=rules.ANSWERS_MAX
    )
    owners: list[OwnerIn] | None = Field(None, alias="uboList", max_length=rules.OWNERS_MAX)
    documents: list[DocumentIn] | None = Field(
        None, alias="documentDataList", max_length=rules.DOCUMENTS_MAX
    )

    @model_validator(mode="after")
    def check(self) -> Self:
        """Check what holds between the values."""
        rules.check_address(self.state or "", self.postal_code or "", self.country or "")
        shares = [(owner.email or "", owner.ownership_percent) for owner in self.owners or []]
        rules.check_owners(self.email, self.ownership_percent, shares)
        return self

    def columns(self) -> dict[str, Any]:
        """Return what was sent of the lead itself, under the names of its columns."""
        return self.model_dump(exclude_none=True, exclude={"email", "owners", "documents"})


class OwnerIdOut(Shape):
    """An owner by id."""

    email: str
    ubo_id: UUID = Field(validation_alias="external_id", serialization_alias="uboId")
    status: str = Field(validation_alias="identity_status")


class StateOut(Shape):
    """The identifiers and the state of a lead."""

    customer_id: UUID
    person_id: UUID
    partner_supplied_id: str
    ubo_data: list[OwnerIdOut]
    application_id: UUID
    status: str
    metadata: dict[str, str]


class CreatedOut(StateOut):
    """What create answers."""

    location: str
    location_expires_at: datetime
    token: str
    token_expires_at: datetime
    warnings: list[dict[str, str]] = []


class DocumentOut(Shape):
    """A document as it is stored."""

    document_id: UUID = Field(validation_alias="external_id", serialization_alias="documentId")
    file_name: str
    content_type: str
    llc_file_type: str
    size_bytes: int
    sha256: str
    status: str
    duplicate: bool = False
    uploaded_at: datetime


class UpdatedOut(StateOut):
    """What update answers."""

    updated_fields: list[str]
    documents: list[DocumentOut] = []
    warnings: list[dict[str, str]] = []


class AddressOut(Shape):
    """An address; what is not known is null."""

    line1: str | None = None
    line2: str | None = None
    city: str | None = None
    state: str | None = None
    postal_code: str | None = None
    country: str | None = None


Known = Annotated[AddressOut | None, BeforeValidator(lambda stored: stored or None)]


class AnswerOut(Shape):
    """An answered question."""

    question: str | None = None
    answer: str | None = None
    question_id: str | None = None


class PersonOut(Shape):
    """A person; numbers by their last four."""

    email: str
    phone_number: str
    ssn: LastFour
    birth_date: date | None
    first_name: str
    last_name: str
    passport_number: LastFour
    id_gov_number: LastFour
    id_country: str
    id_expiration_date: date | None
    ownership_percent: float | None
    is_control_person: bool | None
    title: str
    supplied_by: dict[str, str]
    corrected: list[str]


class OwnerOut(PersonOut):
    """An owner as it is stored."""

    ubo_id: UUID = Field(validation_alias="external_id", serialization_alias="uboId")
    status: str = Field(validation_alias="identity_status")
    role: str
    address: Known


class LeadOut(PersonOut):
    """The applicant and the business as they are stored."""

    line1: str
    line2: str
    city: str
    state: str
    country: str
    postal_code: str
    ein: LastFour
    business_name: str
    business_address: Known
    mailing_address: Known
    business_type: str
    incorporation_state: str
    unique_id: str
    duns: str
    naics_code: str
    campaign: str
    details: dict[str, str] = Field(serialization_alias="metadata")
    edd_question_data: list[AnswerOut] = Field(
        validation_alias="edd_answers", serialization_alias="eddQuestionData"
    )


class FileOut(StateOut):
    """A lead with what is known of it."""

    attempt: int
    status_changed_at: datetime
    submitted_at: datetime | None
    created_at: datetime
    updated_at: datetime
    lead: LeadOut
    owners: list[OwnerOut]
    documents: list[DocumentOut]
