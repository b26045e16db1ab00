"""Sign-ins: whether applicants and other owners can sign in to the opened account."""

from typing import Self

from django.db.models import TextChoices

from banking.choices import BusinessOwnerRole
from banking.models import User
from onboarding.models import Application


class SignIn(TextChoices):
    """The ways in which an applicant or another owner signs in to the account."""

    INVITED = "INVITED", "Invited to choose a password"
    KNOWN = "KNOWN", "With the password that they already have"
    TAKEN = "TAKEN", "None: the email address is already in use"

    @classmethod
    def of(cls, user: User | None) -> Self:
        """Return the way in which a user signs in; TAKEN if the person has no user."""
        if user is None:
            return cls("TAKEN")
        return cls("KNOWN" if user.has_usable_password() else "INVITED")


def get_user(application: Application) -> User | None:
    """Return the user of the primary owner of the business of an application's account, or None."""
    return User.objects.filter(
        business_owner__role=BusinessOwnerRole.PRIMARY_OWNER,
        business_owner__business__accounts__application=application,
    ).first()
