"""People: the fields that applicants and other owners share."""

from collections.abc import Mapping
from uuid import UUID

from django.db import models

from foundation.privacy.fields import (
    BlindIndexField,
    EncryptedField,
    EncryptedModel,
    EncryptedQuerySet,
)
from onboarding.choices import IdentityStatus

LAST_FOUR = 4  # digits of a number, by which staff find it
NONE = models.Value([], models.JSONField())


class Person(EncryptedModel):
    """A natural person whom the bank must identify.

    `supplied_by` maps fields to their supplier, if not the partner: `{"city": "APPLICANT"}`;
    `corrected` lists the fields of `supplied_by` for which the partner had sent another value.
    `confirmed` has a text `name=hash`, with a keyed hash of the value, for each doubtful value that
    the applicant or the owner confirmed.
    """

    external_id: models.UUIDField
    email = models.EmailField(blank=True)
    phone_number = models.CharField(max_length=16, blank=True)
    ssn = EncryptedField("SSN", blank=True)
    ssn_index = BlindIndexField(of="ssn", context="ssn", db_index=True)
    ssn_last_four_index = BlindIndexField(
        of="ssn", context="ssn last four", last=LAST_FOUR, db_index=True
    )
    birth_date = models.DateField(null=True, blank=True)
    first_name = models.CharField(max_length=100, blank=True)
    last_name = models.CharField(max_length=100, blank=True)
    passport_number = EncryptedField(blank=True)
    id_gov_number = EncryptedField("national ID number", blank=True)
    id_country = models.CharField("ID country", max_length=2, blank=True)
    id_expiration_date = models.DateField("ID expiration date", null=True, blank=True)
    ownership_percent = models.DecimalField(max_digits=7, decimal_places=4, null=True, blank=True)
    is_control_person = models.BooleanField(null=True)
    title = models.CharField(max_length=100, blank=True)
    identity_status = models.CharField(
        max_length=10, choices=IdentityStatus, default=IdentityStatus.PENDING
    )
    supplied_by = models.JSONField(default=dict, blank=True, editable=False)
    corrected = models.JSONField(default=list, blank=True, editable=False)
    confirmed = models.JSONField(default=list, db_default=NONE, blank=True, editable=False)

    objects = EncryptedQuerySet.as_manager()

    class Meta(EncryptedModel.Meta):
        abstract = True

    @property
    def ubo_id(self) -> UUID | None:
        """Return the id of an owner; None for the applicant."""
        return None

    @property
    def home(self) -> Mapping[str, str | None]:
        """Return the home address by its parts."""
        raise NotImplementedError

    @property
    def full_name(self) -> str:
        """Return the first and last name, or the part that is known."""
        return f"{self.first_name} {self.last_name}".strip()
