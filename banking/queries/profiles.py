"""Profiles of the signed-in user and of a business."""

from dataclasses import dataclass

from django.db.models import F, QuerySet

from banking.choices import AddressKind, EnrollmentStatus, SubscriptionStatus
from banking.models import (
    Business,
    BusinessAddress,
    BusinessOwner,
    DunsRegistration,
    PlanBenefit,
    SecuredCard,
    Subscription,
    User,
)

LARGEST_FIRST = F("ownership_percent").desc(nulls_last=True)


@dataclass(frozen=True)
class Addresses:
    """The registered, operational and mailing address of a business, or None if unknown."""

    registered: BusinessAddress | None
    operational: BusinessAddress | None
    mailing: BusinessAddress | None


@dataclass(frozen=True)
class BusinessPlan:
    """The plan of a business, its current benefits, and the card program."""

    subscription: Subscription
    benefits: list[PlanBenefit]
    is_secured_card_enrolled: bool


def get_owner(user: User) -> BusinessOwner:
    """Return the owner that a user signs in as, with the business.

    Raises: BusinessOwner.DoesNotExist.
    """
    owner = BusinessOwner.objects.select_related("business").get(user=user)
    owner.user = user  # `user.business_owner` then needs no further statement
    return owner


def get_signer(business: Business) -> User:
    """Return the active user who comes first among the owners of a business.

    The primary owner comes before other owners, and full access before limited access.
    Raises: User.DoesNotExist if no owner has an active user.
    """
    signers = User.objects.filter(business_owner__business=business, is_active=True)
    # PRIMARY_OWNER before UBO, and PARTNER_FULL_ACCESS before PARTNER
    order = ("business_owner__role", "-business_owner__sign_in_role", "pk")
    return signers.order_by(*order)[:1].get()


def get_addresses(business: Business) -> Addresses:
    """Return the three addresses of a business."""
    found = {row.kind: row for row in BusinessAddress.objects.filter(business=business)}
    return Addresses(
        registered=found.get(AddressKind.REGISTERED),
        operational=found.get(AddressKind.OPERATIONAL),
        mailing=found.get(AddressKind.MAILING),
    )


def list_owners(business: Business) -> QuerySet[BusinessOwner]:
    """Return the owners of a business, the largest share first, an unknown share last."""
    return BusinessOwner.objects.filter(business=business).order_by(LARGEST_FIRST, "pk")


def get_plan(business: Business) -> BusinessPlan:
    """Return the plan of a business; a canceled subscription has no benefits.

    Raises: Subscription.DoesNotExist.
    """
    subscription = Subscription.objects.select_related("plan").get(business=business)
    benefits = PlanBenefit.objects.filter(plan=subscription.plan_id).order_by("code", "pk")
    if subscription.status == SubscriptionStatus.CANCELED:
        benefits = benefits.none()
    enrolled = SecuredCard.objects.filter(
        business=business, enrollment_status=EnrollmentStatus.ENROLLED
    )
    return BusinessPlan(subscription, list(benefits), enrolled.exists())


def get_duns_registration(business: Business) -> DunsRegistration:
    """Return the DUNS registration of a business. Raises: DunsRegistration.DoesNotExist."""
    return DunsRegistration.objects.get(business=business)
