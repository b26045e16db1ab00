"""The tables of onboarding, as Django maps them where nothing is sealed: for the Django peers."""

from typing import Any

from django.db import models
from uuid_utils.compat import uuid7


def text(length: int = 255) -> Any:
    """Return a column of text that is never null."""
    return models.CharField(max_length=length, blank=True, default="")


def objects() -> Any:
    """Return a column of a JSON object."""
    return models.JSONField(default=dict, blank=True)


def items() -> Any:
    """Return a column of a JSON list."""
    return models.JSONField(default=list, blank=True)


class Partner(models.Model):
    """A partner."""

    name = models.CharField(max_length=100)
    suspended_at = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = "onboarding_partner"

    def __str__(self) -> str:
        return self.name


class ApiKey(models.Model):
    """An access key."""

    partner = models.ForeignKey(Partner, models.PROTECT)
    access_key = models.CharField(max_length=64)
    secret_digest = models.CharField(max_length=64)
    permissions = items()
    networks = items()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = "onboarding_apikey"

    def __str__(self) -> str:
        return self.access_key


class Person(models.Model):
    """What a lead and an owner have in common."""

    external_id = models.UUIDField(default=uuid7)
    email = models.EmailField(blank=True, default="")
    phone_number = text(16)
    ssn = text()
    ssn_index = text()
    ssn_last_four_index = text()
    birth_date = models.DateField(null=True, blank=True)
    first_name = text(100)
    last_name = text(100)
    passport_number = text()
    id_gov_number = text()
    id_country = text(2)
    id_expiration_date = models.DateField(null=True, blank=True)
    ownership_percent = models.DecimalField(max_digits=7, decimal_places=4, null=True, blank=True)
    is_control_person = models.BooleanField(null=True)
    title = text(100)
    identity_status = models.CharField(max_length=10, default="PENDING")
    supplied_by = objects()
    corrected = items()
    created_at = models.DateTimeField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"person {self.external_id}"


class Lead(Person):
    """The applicant and the business."""

    partner = models.ForeignKey(Partner, models.PROTECT)
    line1 = text()
    line2 = text()
    city = text(30)
    state = text()
    country = text(2)
    postal_code = text(16)
    ein = text()
    ein_index = text()
    ein_last_four_index = text()
    business_name = text()
    business_address = objects()
    mailing_address = objects()
    business_type = text(20)
    incorporation_state = text()
    unique_id = text()
    duns = text(9)
    naics_code = text(6)
    campaign = text()
    details = models.JSONField(default=dict, blank=True, db_column="metadata")
    edd_answers = items()
    event_count = models.IntegerField(default=0)
    last_digest = text(64)
    last_sequence = models.IntegerField(default=0)
    published_sequence = models.IntegerField(default=0)
    erased_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "onboarding_lead"


class Owner(Person):
    """An owner besides the applicant."""

    lead = models.ForeignKey(Lead, models.CASCADE, related_name="owners")
    role = text(20)
    address = objects()

    class Meta:
        managed = False
        db_table = "onboarding_owner"
        ordering = ["pk"]


class Application(models.Model):
    """One attempt to get an account."""

    external_id = models.UUIDField(default=uuid7)
    lead = models.ForeignKey(Lead, models.PROTECT)
    attempt = models.SmallIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    status = models.CharField(max_length=20, default="CREATED")
    status_changed_at = models.DateTimeField()
    link_version = models.IntegerField(default=1)
    link_digest = models.CharField(max_length=64)
    link_expires_at = models.DateTimeField()
    token_digest = models.CharField(max_length=64)
    token_expires_at = models.DateTimeField()
    token_used_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    document_requests = items()
    reminders_sent = models.SmallIntegerField(default=0)
    remind_at = models.DateTimeField(null=True)
    applicant_text = text()
    risk = text(6)
    risk_points = models.SmallIntegerField(default=0)
    risk_reasons = items()
    worst_result = text(4)
    created_at = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "onboarding_application"

    def __str__(self) -> str:
        return f"application {self.external_id}"


class Event(models.Model):
    """Something that happened to a lead; the outbox."""

    external_id = models.UUIDField(default=uuid7)
    lead = models.ForeignKey(Lead, models.PROTECT)
    application = models.ForeignKey(Application, models.PROTECT)
    number = models.IntegerField()
    sequence = models.IntegerField(null=True)
    type = models.CharField(max_length=40)
    role = models.CharField(max_length=10, default="PARTNER")
    who = text(64)
    status = models.CharField(max_length=20)
    previous_status = text(20)
    details = objects()
    request_id = text(64)
    occurred_at = models.DateTimeField()
    previous_digest = text(64)
    digest = text(64)

    class Meta:
        managed = False
        db_table = "onboarding_event"

    def __str__(self) -> str:
        return f"event {self.external_id}"


class Document(models.Model):
    """A file of a lead."""

    external_id = models.UUIDField(default=uuid7)
    lead = models.ForeignKey(Lead, models.PROTECT, related_name="documents")
    llc_file_type = text(40)
    file_name = text()
    content_type = text(127)
    detected_type = text(127)
    size_bytes = models.IntegerField()
    sha256 = models.CharField(max_length=64)
    file = models.CharField(max_length=255)
    source_url = text(2048)
    status = models.CharField(max_length=12, default="RECEIVED")
    status_reason = text()
    supplied_by = models.CharField(max_length=10, default="PARTNER")
    uploaded_at = models.DateTimeField()
    fetch_attempts = models.SmallIntegerField(default=0)

    class Meta:
        managed = False
        db_table = "onboarding_document"
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"document {self.external_id}"
