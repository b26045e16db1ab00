"""Businesses: the bank's customers, who owns them and where they are."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from banking.choices import (
    AddressKind,
    BusinessOwnerRole,
    BusinessType,
    DunsStatus,
    FilingStatus,
    SignInRole,
)
from banking.models.addresses import PostalAddress
from banking.models.users import User
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel


class Business(ExternalIdModel):
    """A business that banks here. `external_id` is the `businessUserId` of the tools.

    Empty or null means not known. `filing_status` and `tax_state`, else `incorporation_state`,
    steer the tax estimate.
    """

    legal_name = models.CharField(max_length=255)
    business_type = models.CharField(max_length=20, choices=BusinessType)
    filing_status = models.CharField(max_length=20, choices=FilingStatus, blank=True)
    incorporation_state = models.CharField(max_length=2, blank=True)
    incorporation_date = models.DateField(null=True, blank=True)
    tax_state = models.CharField(
        max_length=2, blank=True, help_text="Where it is not the state of incorporation."
    )
    email = models.EmailField()
    phone_number = models.CharField(max_length=16, blank=True)
    website = models.URLField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "businesses"
        constraints = [
            check("business_type_known", Q(business_type__in=BusinessType.values)),
            check("business_filing_status_known", Q(filing_status__in=["", *FilingStatus.values])),
            check("business_email_is_lower_case", Q(email=Lower("email"))),
        ]
        indexes = [models.Index(name="business_phone_number", fields=["phone_number"])]

    def __str__(self) -> str:
        return f"business {self.external_id}"


class BusinessOwner(ExternalIdModel):
    """A person who owns part of a business; an owner with a `user` signs in for the business.

    The primary owner signs in and sees everything. Other owners need a sign-in role.
    """

    business = models.ForeignKey(Business, models.PROTECT, related_name="owners")
    user = models.OneToOneField(
        User, models.PROTECT, null=True, blank=True, related_name="business_owner"
    )
    first_name = models.CharField(max_length=100)
    last_name = models.CharField(max_length=100)
    email = models.EmailField()
    ownership_percent = models.DecimalField(max_digits=5, decimal_places=2, null=True, blank=True)
    held_through = models.CharField(
        max_length=255,
        blank=True,
        default="",
        db_default="",
        help_text="The trusts and companies through which the owner holds a part of the share.",
    )
    role = models.CharField(max_length=20, choices=BusinessOwnerRole)
    sign_in_role = models.CharField(
        max_length=20, choices=SignInRole, blank=True, default="", db_default=""
    )

    class Meta:
        constraints = [
            check(
                "businessowner_ownership_percent_0_to_100",
                Q(ownership_percent=None) | Q(ownership_percent__gte=0, ownership_percent__lte=100),
            ),
            check("businessowner_role_known", Q(role__in=BusinessOwnerRole.values)),
            check("businessowner_sign_in_role_known", Q(sign_in_role__in=["", *SignInRole.values])),
            check(
                "businessowner_user_may_sign_in",
                Q(user=None) | Q(role=BusinessOwnerRole.PRIMARY_OWNER) | ~Q(sign_in_role=""),
            ),
            unique(
                "businessowner_one_primary",
                "business",
                condition=Q(role=BusinessOwnerRole.PRIMARY_OWNER),
            ),
            unique("businessowner_email_unique", "business", "email"),
        ]

    def __str__(self) -> str:
        return f"owner {self.external_id}"

    @property
    def may_sign_in(self) -> bool:
        """Return whether the owner gets a sign-in: the primary one, and others with a role."""
        return self.role == BusinessOwnerRole.PRIMARY_OWNER or self.sign_in_role != ""

    @property
    def has_full_access(self) -> bool:
        """Return whether the owner sees everything; a PARTNER sees profile and statements."""
        is_primary = self.role == BusinessOwnerRole.PRIMARY_OWNER
        return is_primary or self.sign_in_role == SignInRole.PARTNER_FULL_ACCESS


class BusinessAddress(PostalAddress):
    """The registered, operational or mailing address of a business."""

    named_by: ClassVar[tuple[str, ...]] = ("business__external_id", "kind")

    business = models.ForeignKey(Business, models.PROTECT, related_name="addresses")
    kind = models.CharField(max_length=12, choices=AddressKind)

    class Meta:
        verbose_name_plural = "business addresses"
        constraints = [
            unique("businessaddress_one_of_a_kind", "business", "kind"),
            check("businessaddress_kind_known", Q(kind__in=AddressKind.values)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} address of {self.business_id}"


class DunsRegistration(PostalAddress):
    """A business's registration for a DUNS number; a pending registration has no number.

    A reported number has neither name nor date, and several businesses may report the same one.
    """

    named_by: ClassVar[tuple[str, ...]] = ("business__external_id",)

    business = models.OneToOneField(Business, models.PROTECT, related_name="duns_registration")
    number = models.CharField("DUNS number", max_length=9, blank=True)
    status = models.CharField(max_length=12, choices=DunsStatus)
    registered_name = models.CharField(max_length=255, blank=True)
    registered_date = models.DateField(null=True, blank=True)

    class Meta:
        verbose_name = "DUNS registration"
        constraints = [
            check(
                "dunsregistration_facts_match_status",
                Q(
                    status=DunsStatus.REGISTERED,
                    number__regex=r"^[0-9]{9}$",
                    registered_date__isnull=False,
                )
                | Q(status=DunsStatus.PENDING, number="", registered_date=None)
                | Q(
                    status=DunsStatus.REPORTED,
                    number__regex=r"^[0-9]{9}$",
                    registered_name="",
                    registered_date=None,
                ),
            ),
            unique(
                "dunsregistration_number_unique",
                "number",
                condition=Q(status=DunsStatus.REGISTERED),
            ),
        ]

    def __str__(self) -> str:
        return f"DUNS registration of {self.business_id}"
