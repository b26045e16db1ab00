"""Invitations by which businesses give accountants access, and firms invite colleagues."""

from datetime import date, datetime

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from banking.choices import AccessLevel
from banking.days import DAY
from banking.models.businesses import Business
from banking.models.firms import Firm
from banking.models.users import User
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel

IS_PENDING = Q(accepted_at=None, withdrawn_at=None)


class AccountantInvitationQuerySet(models.QuerySet["AccountantInvitation"]):
    """Invitations of accountants."""

    def pending(self) -> "AccountantInvitationQuerySet":
        """Return the invitations neither accepted nor withdrawn, expired invitations included."""
        return self.filter(IS_PENDING)

    def open(self, *, at: datetime) -> "AccountantInvitationQuerySet":
        """Return the pending invitations that can be accepted: not expired, the access not over."""
        still_holds = Q(ends_at=None) | Q(ends_at__gt=at)
        return self.pending().filter(still_holds, expires_at__gt=at)


class AccountantInvitation(ExternalIdModel):
    """An invitation by email: of an owner, to read a business, or of a firm, to join the firm.

    Nobody has access before the invitation is accepted. The token of the mailed link is kept as
    its SHA-256 digest; sending the mail again makes a new token.
    """

    business = models.ForeignKey(
        Business, models.PROTECT, null=True, blank=True, related_name="accountant_invitations"
    )
    firm = models.ForeignKey(
        Firm, models.PROTECT, null=True, blank=True, related_name="invitations"
    )
    email = models.EmailField()
    level = models.CharField(max_length=16, choices=AccessLevel, blank=True)
    ends_at = models.DateTimeField(
        null=True, blank=True, help_text="The midnight in UTC after the last day of the access."
    )
    invited_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    invited_at = models.DateTimeField()
    sent_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    token_digest = models.CharField(max_length=64)
    accepted_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = AccountantInvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            check(
                "accountantinvitation_of_business_or_firm",
                Q(business__isnull=False, firm=None, level__in=AccessLevel.values)
                | Q(business=None, firm__isnull=False, level="", ends_at=None),
            ),
            check("accountantinvitation_email_is_lower_case", Q(email=Lower("email"))),
            check("accountantinvitation_settled_once", Q(accepted_at=None) | Q(withdrawn_at=None)),
            unique("accountantinvitation_one_pending", "business", "email", condition=IS_PENDING),
            unique("accountantinvitation_one_of_firm", "firm", "email", condition=IS_PENDING),
        ]
        indexes = [models.Index(name="accountantinvitation_email", fields=["email"])]

    def __str__(self) -> str:
        return f"accountant invitation {self.external_id}"

    @property
    def last_day(self) -> date | None:
        """Return the last day of the access, if it has an end date."""
        return (self.ends_at - DAY).date() if self.ends_at else None

    def is_open(self, at: datetime) -> bool:
        """Return whether the invitation is pending and not expired, and the access is not over."""
        is_over = self.ends_at is not None and self.ends_at <= at
        is_settled = self.accepted_at is not None or self.withdrawn_at is not None
        return not is_settled and not is_over and self.expires_at > at
