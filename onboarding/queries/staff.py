"""Reads of staff: who may take the steps of cases."""

from django.db.models import Q, QuerySet

from banking.choices import UserType
from banking.models import User

REVIEW = "onboarding.review_application"  # the permission to work on cases
REASSIGN = "onboarding.reassign_application"
CONFIRM = "onboarding.confirm_application"  # the permission of approvers


def may_review(user: User) -> bool:
    """Return whether a user is an active member of staff who may work on cases."""
    return user.is_active and user.user_type == UserType.STAFF and user.has_perm(REVIEW)


def list_reviewers() -> QuerySet[User]:
    """Return the active staff who may review applications and judge screening hits, by name."""
    return list_permitted(REVIEW)


def list_permitted(permission: str) -> QuerySet[User]:
    """Return the active staff who have a permission, for example REVIEW, by name."""
    staff = User.objects.filter(is_active=True, user_type=UserType.STAFF)
    codename = permission.partition(".")[2]
    may = (
        Q(is_superuser=True)
        | Q(user_permissions__codename=codename)
        | Q(groups__permissions__codename=codename)
    )
    return staff.filter(may).distinct().order_by("first_name", "last_name", "pk")
