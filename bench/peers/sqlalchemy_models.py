"""The tables of onboarding and of the tool search, as SQLAlchemy maps them."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, DateTime, ForeignKey, Numeric
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from uuid_utils.compat import uuid7


class Base(DeclarativeBase):
    """All tables."""

    type_annotation_map = {
        int: BigInteger,
        datetime: DateTime(timezone=True),
        Decimal: Numeric(7, 4),
        dict[str, Any]: JSONB,
        list[Any]: JSONB,
    }
    __mapper_args__ = {"eager_defaults": False}


def text() -> Any:
    """Return a column of text that is never null."""
    return mapped_column(default="")


def external_id() -> Any:
    """Return the column of the public id."""
    return mapped_column(default=uuid7)


class Partner(Base):
    """A partner."""

    __tablename__ = "onboarding_partner"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    suspended_at: Mapped[datetime | None]


class ApiKey(Base):
    """An access key."""

    __tablename__ = "onboarding_apikey"
    id: Mapped[int] = mapped_column(primary_key=True)
    access_key: Mapped[str]
    secret_digest: Mapped[str]
    permissions: Mapped[list[Any]]
    networks: Mapped[list[Any]]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    partner_id: Mapped[int] = mapped_column(ForeignKey("onboarding_partner.id"))
    partner: Mapped[Partner] = relationship()


class Person:
    """What a lead and an owner have in common."""

    id: Mapped[int] = mapped_column(primary_key=True)
    external_id: Mapped[UUID] = external_id()
    email: Mapped[str] = text()
    phone_number: Mapped[str] = text()
    ssn: Mapped[str] = text()
    ssn_index: Mapped[str] = text()
    ssn_last_four_index: Mapped[str] = text()
    birth_date: Mapped[date | None]
    first_name: Mapped[str] = text()
    last_name: Mapped[str] = text()
    passport_number: Mapped[str] = text()
    id_gov_number: Mapped[str] = text()
    id_country: Mapped[str] = text()
    id_expiration_date: Mapped[date | None]
    ownership_percent: Mapped[Decimal | None]
    is_control_person: Mapped[bool | None]
    title: Mapped[str] = text()
    identity_status: Mapped[str] = mapped_column(default="PENDING")
    supplied_by: Mapped[dict[str, Any]] = mapped_column(default=dict)
    corrected: Mapped[list[Any]] = mapped_column(default=list)
    created_at: Mapped[datetime]


class Lead(Person, Base):
    """The applicant and the business."""

    __tablename__ = "onboarding_lead"
    partner_id: Mapped[int]
    line1: Mapped[str] = text()
    line2: Mapped[str] = text()
    city: Mapped[str] = text()
    state: Mapped[str] = text()
    country: Mapped[str] = text()
    postal_code: Mapped[str] = text()
    ein: Mapped[str] = text()
    ein_index: Mapped[str] = text()
    ein_last_four_index: Mapped[str] = text()
    business_name: Mapped[str] = text()
    business_address: Mapped[dict[str, Any]] = mapped_column(default=dict)
    mailing_address: Mapped[dict[str, Any]] = mapped_column(default=dict)
    business_type: Mapped[str] = text()
    incorporation_state: Mapped[str] = text()
    unique_id: Mapped[str] = text()
    duns: Mapped[str] = text()
    naics_code: Mapped[str] = text()
    campaign: Mapped[str] = text()
    details: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    edd_answers: Mapped[list[Any]] = mapped_column(default=list)
    event_count: Mapped[int] = mapped_column(default=0)
    last_digest: Mapped[str] = text()
    last_sequence: Mapped[int] = mapped_column(default=0)
    published_sequence: Mapped[int] = mapped_column(default=0)
    erased_at: Mapped[datetime | None]
    updated_at: Mapped[datetime]
    owners: Mapped[list["Owner"]] = relationship(back_populates="lead", order_by="Owner.id")
    documents: Mapped[list["Document"]] = relationship(
        back_populates="lead", order_by="Document.id"
    )


class Owner(Person, Base):
    """An owner besides the applicant."""

    __tablename__ = "onboarding_owner"
    lead_id: Mapped[int] = mapped_column(ForeignKey("onboarding_lead.id"))
    role: Mapped[str] = text()
    address: Mapped[dict[str, Any]] = mapped_column(default=dict)
    lead: Mapped[Lead] = relationship(back_populates="owners")


class Application(Base):
    """One attempt to get an account."""

    __tablename__ = "onboarding_application"
    id: Mapped[int] = mapped_column(primary_key=True)
    external_id: Mapped[UUID] = external_id()
    lead_id: Mapped[int] = mapped_column(ForeignKey("onboarding_lead.id"))
    attempt: Mapped[int] = mapped_column(default=1)
    is_current: Mapped[bool] = mapped_column(default=True)
    status: Mapped[str] = mapped_column(default="CREATED")
    status_changed_at: Mapped[datetime]
    link_version: Mapped[int] = mapped_column(default=1)
    link_digest: Mapped[str]
    link_expires_at: Mapped[datetime]
    token_digest: Mapped[str]
    token_expires_at: Mapped[datetime]
    token_used_at: Mapped[datetime | None]
    submitted_at: Mapped[datetime | None]
    document_requests: Mapped[list[Any]] = mapped_column(default=list)
    reminders_sent: Mapped[int] = mapped_column(default=0)
    remind_at: Mapped[datetime | None]
    applicant_text: Mapped[str] = text()
    risk: Mapped[str] = text()
    risk_points: Mapped[int] = mapped_column(default=0)
    risk_reasons: Mapped[list[Any]] = mapped_column(default=list)
    worst_result: Mapped[str] = text()
    created_at: Mapped[datetime]
    lead: Mapped[Lead] = relationship()


class Event(Base):
    """Something that happened to a lead; the outbox."""

    __tablename__ = "onboarding_event"
    id: Mapped[int] = mapped_column(primary_key=True)
    external_id: Mapped[UUID] = external_id()
    lead_id: Mapped[int] = mapped_column(ForeignKey("onboarding_lead.id"))
    application_id: Mapped[int] = mapped_column(ForeignKey("onboarding_application.id"))
    number: Mapped[int]
    sequence: Mapped[int | None]
    type: Mapped[str]
    role: Mapped[str] = mapped_column(default="PARTNER")
    who: Mapped[str] = text()
    status: Mapped[str]
    previous_status: Mapped[str] = text()
    details: Mapped[dict[str, Any]] = mapped_column(default=dict)
    request_id: Mapped[str] = text()
    occurred_at: Mapped[datetime]
    previous_digest: Mapped[str] = text()
    digest: Mapped[str] = text()
    lead: Mapped[Lead] = relationship()
    application: Mapped[Application] = relationship()


class Document(Base):
    """A file of a lead."""

    __tablename__ = "onboarding_document"
    id: Mapped[int] = mapped_column(primary_key=True)
    external_id: Mapped[UUID] = external_id()
    lead_id: Mapped[int] = mapped_column(ForeignKey("onboarding_lead.id"))
    llc_file_type: Mapped[str] = text()
    file_name: Mapped[str]
    content_type: Mapped[str]
    detected_type: Mapped[str] = text()
    size_bytes: Mapped[int]
    sha256: Mapped[str]
    file: Mapped[str]
    source_url: Mapped[str] = text()
    status: Mapped[str] = mapped_column(default="RECEIVED")
    status_reason: Mapped[str] = text()
    supplied_by: Mapped[str] = mapped_column(default="PARTNER")
    uploaded_at: Mapped[datetime]
    fetch_attempts: Mapped[int] = mapped_column(default=0)
    lead: Mapped[Lead] = relationship(back_populates="documents")


class Account(Base):
    """A bank account."""

    __tablename__ = "banking_account"
    id: Mapped[int] = mapped_column(primary_key=True)
    account_number: Mapped[str]


class Merchant(Base):
    """Whom a purchase was from."""

    __tablename__ = "banking_merchant"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Location(Base):
    """Where a purchase was."""

    __tablename__ = "banking_location"
    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str]


class Transaction(Base):
    """A line of a bank account."""

    __tablename__ = "banking_transaction"
    id: Mapped[int] = mapped_column(primary_key=True)
    external_id: Mapped[UUID]
    business_id: Mapped[int]
    transaction_type: Mapped[str]
    status: Mapped[str]
    amount_cents: Mapped[int]
    occurred_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]
    description: Mapped[str]
    merchant_raw_name: Mapped[str]
    category_id: Mapped[str]
    account_id: Mapped[int] = mapped_column(ForeignKey("banking_account.id"))
    merchant_id: Mapped[int | None] = mapped_column(ForeignKey("banking_merchant.id"))
    location_id: Mapped[int | None] = mapped_column(ForeignKey("banking_location.id"))
    account: Mapped[Account] = relationship()
    merchant: Mapped[Merchant | None] = relationship()
    location: Mapped[Location | None] = relationship()
    receipt: Mapped["Receipt | None"] = relationship(uselist=False)


class Receipt(Base):
    """The receipt of a purchase."""

    __tablename__ = "banking_receipt"
    id: Mapped[int] = mapped_column(primary_key=True)
    transaction_id: Mapped[int] = mapped_column(ForeignKey("banking_transaction.id"))
