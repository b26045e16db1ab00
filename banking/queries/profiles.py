"""Profiles of the signed-in user and of a business."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

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
from foundation.database.compiled_queries import CompiledQuery

LARGEST_FIRST = F("ownership_percent").desc(nulls_last=True)
BUSINESS_OF = CompiledQuery(lambda user_id: Business.objects.filter(owners__user=user_id))


@dataclass(frozen=True)
class CurrentUser:
    """The signed-in user, with a business unless the user is an accountant."""

    external_id: UUID
    user_type: str
    first_name: str
    last_name: str
    email: str
    business_name: str | None


@dataclass(frozen=True)
class BusinessProfile:
    """The legal name, type, state and date of incorporation of a business."""

    legal_name: str
    incorporation_state: str
    incorporation_date: date | None
    incorporation_type: str


@dataclass(frozen=True)
class Addresses:
    """Where a business is registered, works and takes its mail, as far as it is known."""

    registered: BusinessAddress | None
    operational: BusinessAddress | None
    mailing: BusinessAddress | None


@dataclass(frozen=True)
class BusinessPlan:
    """The plan of a business, its current benefits, and the card program."""

    subscription: Subscription
    benefits: list[PlanBenefit]
    is_secured_card_enrolled: bool


def get_business(user: User) -> Business:
    """Return the business that a user signs in for. Raises: Business.DoesNotExist."""
    business = BUSINESS_OF.first(user_id=user.pk)
    if business is None:
        raise Business.DoesNotExist
    return business


def get_signer(business: Business) -> User:
    """Return who signs in for a business, the primary owner before others.

    Raises: User.DoesNotExist.
    """
    signers = User.objects.filter(business_owner__business=business, is_active=True)
    primary_first = signers.order_by("business_owner__role", "pk")  # PRIMARY_OWNER, UBO
    return primary_first[:1].get()


def get_current_user(user: User) -> CurrentUser:
    """Return a user with the business that the user signs in for."""
    business = Business.objects.filter(owners__user=user).first()
    return CurrentUser(
        external_id=user.external_id,
        user_type=user.user_type,
        first_name=user.first_name,
        last_name=user.last_name,
        email=user.email,
        business_name=business.legal_name if business else None,
    )


def get_business_profile(business: Business) -> BusinessProfile:
    """Return the legal facts of a business; sends no statement."""
    return BusinessProfile(
        legal_name=business.legal_name,
        incorporation_state=business.incorporation_state,
        incorporation_date=business.incorporation_date,
        incorporation_type=business.business_type,
    )


def get_addresses(business: Business) -> Addresses:
    """Return the three addresses of a business."""
    found = {row.kind: row for row in BusinessAddress.objects.filter(business=business)}
    return Addresses(
        registered=found.get(AddressKind.REGISTERED),
        operational=found.get(AddressKind.OPERATIONAL),
        mailing=found.get(AddressKind.MAILING),
    )


def list_owners(business: Business) -> QuerySet[BusinessOwner]:
    """Return the owners, the largest share first, those whose share is not known last."""
    return BusinessOwner.objects.filter(business=business).order_by(LARGEST_FIRST, "pk")


def get_plan(business: Business) -> BusinessPlan:
    """Return the plan of a business; a canceled one has no benefits.

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
    """Return the entry at Dun & Bradstreet. Raises: DunsRegistration.DoesNotExist."""
    return DunsRegistration.objects.get(business=business)
