"""Owners: beneficial owners of a business besides the applicant."""

from collections.abc import Mapping
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from uuid_utils.compat import uuid7

from foundation.database.constraints import check
from onboarding.choices import IdentityStatus, InvitationStatus, OwnerRole
from onboarding.models.address_keys import OWNER_KEY
from onboarding.models.leads import SHARES, Lead
from onboarding.models.people import Person


class Owner(Person):
    """A beneficial owner (UBO) of a lead's business, besides the applicant."""

    external_id = models.UUIDField("UBO id", unique=True, default=uuid7, editable=False)
    lead = models.ForeignKey(Lead, models.CASCADE, related_name="owners")
    role = models.CharField(max_length=20, choices=OwnerRole, blank=True)
    address = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "owner"
        constraints = [
            models.UniqueConstraint(
                name="owner_email_unique", fields=["lead", "email"], condition=~Q(email="")
            ),
            check("owner_email_normal", Q(email=Lower("email"))),
            check("owner_ownership_percent_0_to_100", SHARES),
            check("owner_role_known", Q(role__in=["", *OwnerRole.values])),
            check("owner_identity_status_known", Q(identity_status__in=IdentityStatus.values)),
        ]
        indexes = [
            models.Index(name="owner_email", fields=["email"]),
            models.Index(name="owner_phone_number", fields=["phone_number"]),
            models.Index(OWNER_KEY, name="owner_address"),
        ]

    def __str__(self) -> str:
        return f"owner {self.external_id}"

    @property
    def ubo_id(self) -> UUID:
        return self.external_id

    @property
    def invitation_status(self) -> InvitationStatus | None:
        """Return the status of the owner's invitation; None if the owner was not invited."""
        invitation = getattr(self, "invitation", None)
        return InvitationStatus(invitation.status) if invitation else None

    @property
    def is_waited_for(self) -> bool:
        """Return whether the owner was invited to enter their own data and has not finished."""
        return self.invitation_status is InvitationStatus.INVITED

    @property
    def is_completed(self) -> bool:
        """Return whether the owner was invited and has finished entering their own data."""
        return self.invitation_status is InvitationStatus.COMPLETED

    @property
    def has_own_part(self) -> bool:
        """Return whether the owner enters their own data, which the applicant does not see."""
        return self.invitation_status in {InvitationStatus.INVITED, InvitationStatus.COMPLETED}

    @property
    def home(self) -> Mapping[str, str | None]:
        return self.address
