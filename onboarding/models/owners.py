"""Owners: beneficial owners of a business besides the applicant."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from uuid_utils.compat import uuid7

from foundation.privacy.fields import EncryptedQuerySet
from onboarding.choices import IdentityStatus, OwnerRole
from onboarding.models.leads import SHARES, Lead
from onboarding.models.people import Person


class OwnerQuerySet(EncryptedQuerySet["Owner"]):
    """Owners."""


class Owner(Person):
    """A beneficial owner (UBO) of a lead's business, besides the applicant."""

    external_id = models.UUIDField("UBO id", unique=True, default=uuid7, editable=False)
    lead = models.ForeignKey(Lead, models.CASCADE, related_name="owners")
    role = models.CharField(max_length=20, choices=OwnerRole, blank=True)
    address = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OwnerQuerySet.as_manager()

    class Meta:
        verbose_name = "owner"
        constraints = [
            models.UniqueConstraint(
                name="owner_email_unique", fields=["lead", "email"], condition=~Q(email="")
            ),
            models.CheckConstraint(name="owner_email_normal", condition=Q(email=Lower("email"))),
            models.CheckConstraint(name="owner_ownership_percent_0_to_100", condition=SHARES),
            models.CheckConstraint(
                name="owner_role_known", condition=Q(role__in=["", *OwnerRole.values])
            ),
            models.CheckConstraint(
                name="owner_identity_status_known",
                condition=Q(identity_status__in=IdentityStatus.values),
            ),
        ]

    def __str__(self) -> str:
        return f"owner {self.external_id}"
