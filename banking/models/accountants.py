"""Accountants of firms, the accesses of firms to businesses, and referred businesses."""

from datetime import date, datetime

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from banking.choices import AccessLevel, AccessStatus, ReferralStatus
from banking.days import DAY
from banking.models.accountant_invitations import AccountantInvitation
from banking.models.businesses import Business
from banking.models.firms import Firm
from banking.models.users import User
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel


class Accountant(ExternalIdModel):
    """The membership of a user, who signs in as an accountant, in a firm."""

    user = models.OneToOneField(User, models.PROTECT, related_name="accountant")
    firm = models.ForeignKey(Firm, models.PROTECT, related_name="people")
    is_manager = models.BooleanField(
        "manager", default=False, help_text="Invites and removes people of the firm."
    )
    invitation = models.ForeignKey(
        AccountantInvitation,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The firm's, by which the person joined.",
    )
    terms_accepted_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the person accepted the terms in force; nothing is read before.",
    )
    partner_referral_code = models.CharField(max_length=20, unique=True)

    def __str__(self) -> str:
        return f"accountant {self.user_id}"

    @property
    def firm_name(self) -> str:
        return self.firm.name


class FirmDeparture(models.Model):
    """The removal of a person from a firm by a manager. Staff can look it up."""

    firm = models.ForeignKey(Firm, models.PROTECT, related_name="departures")
    accountant = models.ForeignKey(Accountant, models.PROTECT, related_name="+")
    removed_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    removed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"departure {self.pk}"


def has_status(status: AccessStatus, *, at: datetime, path: str = "") -> Q:
    """Return the condition that accesses have a status; from `ends_at` on they count as revoked.

    `path` is the lookup that leads to the access, with two underscores at its end.
    """
    stored, is_over = Q(**{f"{path}status": status}), Q(**{f"{path}ends_at__lte": at})
    if status == AccessStatus.REVOKED:
        return stored | is_over
    return stored & (Q(**{f"{path}ends_at": None}) | Q(**{f"{path}ends_at__gt": at}))


class ClientAccessQuerySet(models.QuerySet["ClientAccess"]):
    """Queries for the accesses of firms to businesses at a time."""

    def connected(self, *, at: datetime) -> "ClientAccessQuerySet":
        """Return the accesses whose status at a time is CONNECTED."""
        return self.filter(has_status(AccessStatus.CONNECTED, at=at))

    def readable_by(self, accountant: Accountant, *, at: datetime) -> "ClientAccessQuerySet":
        """Return the connected accesses of the accountant's firm; each has a level.

        Before the accountant has accepted the terms there are none.
        """
        if accountant.terms_accepted_at is None:
            return self.none()
        return self.connected(at=at).filter(firm=accountant.firm_id)

    def over(self, *, at: datetime) -> "ClientAccessQuerySet":
        """Return the accesses whose end has come and which are not revoked yet."""
        return self.filter(ends_at__lte=at).exclude(status=AccessStatus.REVOKED)


class ClientAccess(ExternalIdModel):
    """The access of a firm to a business: a row per pair, revoked and not deleted.

    From `ends_at` on it counts as revoked before its `status` says so: ask `readable_by`,
    `connected` or `status_at`.
    """

    firm = models.ForeignKey(Firm, models.PROTECT, related_name="accesses")
    accountant = models.ForeignKey(
        Accountant,
        models.PROTECT,
        related_name="+",
        help_text="The person whom the owner invited or the core named, who may have left.",
    )
    business = models.ForeignKey(Business, models.PROTECT, related_name="accesses")
    status = models.CharField(max_length=14, choices=AccessStatus)
    level = models.CharField(max_length=16, choices=AccessLevel)
    invited_at = models.DateTimeField()
    granted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(
        null=True, blank=True, help_text="The midnight in UTC after the last day."
    )
    ended_here = models.BooleanField(
        default=False,
        db_default=False,
        help_text="The owner ended it, or its last day: no line of the core connects it again.",
    )
    invitation = models.ForeignKey(
        AccountantInvitation,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="accesses",
        help_text="The owner's; an access that the core sent has none.",
    )

    objects = ClientAccessQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "client accesses"
        constraints = [
            unique("clientaccess_pair_unique", "firm", "business"),
            check("clientaccess_level_known", Q(level__in=AccessLevel.values)),
            check(
                "clientaccess_dates_match_status",
                Q(status=AccessStatus.PENDING_TERMS, granted_at=None, revoked_at=None)
                | Q(status=AccessStatus.CONNECTED, granted_at__isnull=False, revoked_at=None)
                | Q(status=AccessStatus.REVOKED, revoked_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"access of {self.firm_id} to {self.business_id}"

    @property
    def last_day(self) -> date | None:
        """Return the last day of the access, if it has an end date."""
        return (self.ends_at - DAY).date() if self.ends_at else None

    def status_at(self, at: datetime) -> AccessStatus:
        """Return the status at a time: after the end date an access counts as revoked."""
        is_over = self.ends_at is not None and self.ends_at <= at
        return AccessStatus.REVOKED if is_over else AccessStatus(self.status)

    def status_for(self, accountant: Accountant, at: datetime) -> AccessStatus:
        """Return the status for an accountant: PENDING_TERMS until they accept the terms."""
        status = self.status_at(at)
        waits = status == AccessStatus.CONNECTED and accountant.terms_accepted_at is None
        return AccessStatus.PENDING_TERMS if waits else status

    def ended_at(self, at: datetime) -> datetime | None:
        """Return when the access ended, if it has."""
        if self.revoked_at is None and self.status_at(at) == AccessStatus.REVOKED:
            return self.ends_at
        return self.revoked_at


class Referral(ExternalIdModel):
    """A business that an accountant invited to the bank."""

    accountant = models.ForeignKey(Accountant, models.PROTECT, related_name="referrals")
    business_name = models.CharField(max_length=255)
    owner_first_name = models.CharField(max_length=100)
    owner_last_name = models.CharField(max_length=100)
    email = models.EmailField()
    status = models.CharField(max_length=10, choices=ReferralStatus)
    invite_code = models.CharField(max_length=43, unique=True)
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            check("referral_status_known", Q(status__in=ReferralStatus.values)),
            check(
                "referral_completed_at_iff_completed",
                Q(status=ReferralStatus.COMPLETED) ^ Q(completed_at=None),
            ),
            unique("referral_email_unique", "accountant", "email"),
            check("referral_email_is_lower_case", Q(email=Lower("email"))),
        ]
        indexes = [
            models.Index(name="referral_newest", fields=["accountant", "-invited_at", "-id"])
        ]

    def __str__(self) -> str:
        return f"referral {self.external_id}"

    def status_at(self, at: datetime) -> ReferralStatus:
        """Return the status at a time: from `expires_at` on, INVITED counts as EXPIRED."""
        lapsed = self.status == ReferralStatus.INVITED and self.expires_at <= at
        return ReferralStatus.EXPIRED if lapsed else ReferralStatus(self.status)
