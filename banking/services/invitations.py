"""Invitations: sign-ins of owners, accountants and staff; links to choose a first password."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.hashers import make_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.utils.crypto import constant_time_compare
from django.utils.http import base36_to_int

from banking.choices import AccountStatus, FeedResult, StaffEventType, UserType
from banking.models import Accountant, BusinessOwner, User
from banking.services import feed_changes, staff_history


class NotInvited(Exception):
    """An invitation cannot set this password: one exists already, or the user may not sign in."""


class InvitationTokens(PasswordResetTokenGenerator):
    """Tokens that are good for INVITATION_LIFETIME and until their user has a password."""

    key_salt = "banking.services.invitations"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        """Return the value to hash, marked for staff: a customer's link opens no staff account."""
        suffix = "staff" if user.is_staff else ""
        return f"{super()._make_hash_value(user, timestamp)}{suffix}"

    def check_token(self, user: AbstractBaseUser | None, token: str | None) -> bool:
        """Return whether the token belongs to this user and is still valid."""
        token = token or ""
        made_at = _timestamp(token)
        if not isinstance(user, User) or made_at is None or not is_invited(user):
            return False
        age = timedelta(seconds=self._num_seconds(self._now()) - made_at)
        secrets = [self.secret, *self.secret_fallbacks]
        known = (self._make_token_with_timestamp(user, made_at, secret) for secret in secrets)
        is_ours = any(constant_time_compare(token, one) for one in known)
        return is_ours and age <= settings.INVITATION_LIFETIME


tokens = InvitationTokens()


@transaction.atomic
def give_sign_in(owner: BusinessOwner, *, at: datetime) -> User | None:
    """Let an owner sign in for the business by email, at first without a password.

    An existing user with this email is used if they sign in for no business, or only for
    businesses whose accounts are all closed. Returns None, and changes nothing, if the user signs
    in for another business, is inactive, or is not of the type BUSINESS. The bank's systems are
    told of the user.
    """
    names = {"first_name": owner.first_name, "last_name": owner.last_name}
    found, is_new = User.objects.get_or_create(
        email=owner.email.lower(), defaults={**names, "password": make_password(None)}
    )
    feed_changes.lock("users", [found])
    user = User.objects.select_for_update(of=("self",)).get(pk=found.pk)
    if not user.is_active or user.user_type != UserType.BUSINESS:
        return None
    others = BusinessOwner.objects.filter(user=user)
    former = others.filter(business__accounts__status=AccountStatus.CLOSED)
    former = former.exclude(business__accounts__status=AccountStatus.OPEN)
    if others.exclude(pk__in=former.values("pk")).exists():
        return None
    others.update(user=None)
    owner.user = user
    owner.save(update_fields=["user"])
    result = FeedResult.CREATED if is_new else FeedResult.UPDATED
    feed_changes.announce("users", [user], result, at=at)
    return user


@transaction.atomic
def release(owner: BusinessOwner, *, at: datetime) -> bool:
    """Take the user from an owner, so that nobody signs in as the owner; return if there was one.

    The bank's systems are told of the user.
    """
    former = list(User.objects.filter(business_owner=owner))
    feed_changes.announce("users", former, FeedResult.UPDATED, at=at)
    return bool(BusinessOwner.objects.filter(pk=owner.pk, user__in=former).update(user=None))


def location(user: User) -> str:
    """Return the URL where an invited user chooses the first password."""
    return f"{settings.BASE_URL}/welcome/{user.external_id}/{tokens.make_token(user)}"


def is_invited(user: User) -> bool:
    """Return whether an active member of staff, owner or accountant has no password yet."""
    if not user.is_active or user.has_usable_password():
        return False
    if user.user_type == UserType.BUSINESS:
        return BusinessOwner.objects.filter(user=user).exists()
    return user.is_staff or Accountant.objects.filter(user=user).exists()


def find_user(external_id: UUID) -> User | None:
    """Return the user whose external id is in the link of an invitation, if there is one.

    The user may have a password already: the caller checks the token of the link.
    """
    return User.objects.filter(external_id=external_id).first()


def list_invited(email: str) -> Iterator[User]:
    """Yield the user who was invited under this email and has no password yet, if any."""
    found = User.objects.filter(email=email.strip().lower())
    yield from filter(is_invited, found)


@transaction.atomic
def accept(user: User, password: str, *, at: datetime) -> User:
    """Give an invited user the first password; of two at once the second is refused.

    For a member of staff this records a staff event. Raises: NotInvited.
    """
    staff_history.lock_for(user)
    locked = User.objects.select_for_update(of=("self",)).get(pk=user.pk)
    if not is_invited(locked):
        raise NotInvited
    locked.set_password(password)
    locked.save(update_fields=["password"])
    if locked.is_staff:
        details = {"subject": str(locked.external_id), "email": locked.email}
        chosen = ["The first password was chosen."]
        staff_history.record(
            StaffEventType.CREDENTIALS_CHANGED, by=locked, at=at, **details, summary=chosen
        )
    return locked


def _timestamp(token: str) -> int | None:
    """Return the time in a token at which it was made, in seconds since 2001; None if not there."""
    try:
        return base36_to_int(token.partition("-")[0])
    except ValueError:
        return None
