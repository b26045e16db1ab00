"""Businesses: the bank's customers, who owns them and where they are."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from uuid_utils.compat import uuid7

from banking.choices import AddressKind, BusinessOwnerRole, BusinessType, DunsStatus, FilingStatus
from banking.models.addresses import PostalAddress
from banking.models.users import User


class Business(models.Model):
    """A business that banks here. `external_id` is the `businessUserId` of the tools.

    Empty or null means not known. `filing_status` and `tax_state`, else `incorporation_state`,
    steer the tax estimate.
    """

    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)
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
            models.CheckConstraint(
                name="business_type_known", condition=Q(business_type__in=BusinessType.values)
            ),
            models.CheckConstraint(
                name="business_filing_status_known",
                condition=Q(filing_status__in=["", *FilingStatus.values]),
            ),
            models.CheckConstraint(
                name="business_email_is_lower_case", condition=Q(email=Lower("email"))
            ),
        ]

    def __str__(self) -> str:
        return f"business {self.external_id}"


class BusinessOwner(models.Model):
    """A person who owns part of a business; with a user, one who signs in for it."""

    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)
    business = models.ForeignKey(Business, models.PROTECT, related_name="owners")
    user = models.OneToOneField(
        User, models.PROTECT, null=True, blank=True, related_name="business_owner"
    )
    first_name = models.CharField(max_length=100)
    last_name = models.CharField(max_length=100)
    email = models.EmailField()
    ownership_percent = models.DecimalField(max_digits=5, decimal_places=2, null=True, blank=True)
    role = models.CharField(max_length=20, choices=BusinessOwnerRole)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="businessowner_ownership_percent_0_to_100",
                condition=Q(ownership_percent=None)
                | Q(ownership_percent__gte=0, ownership_percent__lte=100),
            ),
            models.CheckConstraint(
                name="businessowner_role_known", condition=Q(role__in=BusinessOwnerRole.values)
            ),
            models.UniqueConstraint(
                name="businessowner_one_primary",
                fields=["business"],
                condition=Q(role=BusinessOwnerRole.PRIMARY_OWNER),
            ),
            models.UniqueConstraint(
                name="businessowner_email_unique", fields=["business", "email"]
            ),
        ]

    def __str__(self) -> str:
        return f"owner {self.external_id}"


class BusinessAddress(PostalAddress):
    """Where a business is registered, works, or takes its mail."""

    business = models.ForeignKey(Business, models.PROTECT, related_name="addresses")
    kind = models.CharField(max_length=12, choices=AddressKind)

    class Meta:
        verbose_name_plural = "business addresses"
        constraints = [
            models.UniqueConstraint(
                name="businessaddress_one_of_a_kind", fields=["business", "kind"]
            ),
            models.CheckConstraint(
                name="businessaddress_kind_known", condition=Q(kind__in=AddressKind.values)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} address of {self.business_id}"


class DunsRegistration(PostalAddress):
    """A business's entry at Dun & Bradstreet; without a number while it is applied for.

    Of a reported number nothing else is known, and another business may report the same.
    """

    business = models.OneToOneField(Business, models.PROTECT, related_name="duns_registration")
    number = models.CharField("DUNS number", max_length=9, blank=True)
    status = models.CharField(max_length=12, choices=DunsStatus)
    registered_name = models.CharField(max_length=255, blank=True)
    registered_date = models.DateField(null=True, blank=True)

    class Meta:
        verbose_name = "DUNS registration"
        constraints = [
            models.CheckConstraint(
                name="dunsregistration_facts_match_status",
                condition=Q(
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
            models.UniqueConstraint(
                name="dunsregistration_number_unique",
                fields=["number"],
                condition=Q(status=DunsStatus.REGISTERED),
            ),
        ]

    def __str__(self) -> str:
        return f"DUNS registration of {self.business_id}"
