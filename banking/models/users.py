"""Users, who sign in with an email address."""

from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac

from banking.choices import UserType
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from foundation.times import validate_zone


class UserManager(BaseUserManager["User"]):
    """Creates users by email address, which is kept in lower case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user. A user without a password cannot sign in until one is set."""
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a member of staff who may do everything."""
        powers = {"user_type": UserType.STAFF, "is_superuser": True}
        return self.create_user(email, password, **powers, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").strip().lower())


class User(AbstractUser, ExternalIdModel):
    """Somebody who signs in: a business user, an accountant or a member of staff."""

    username = None  # type: ignore[assignment]  # people sign in by email
    email = models.EmailField("email address", unique=True)
    user_type = models.CharField(max_length=10, choices=UserType, default=UserType.BUSINESS)
    created_by = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, editable=False, related_name="+"
    )
    confirmed_by = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text="The administrator who confirmed what the creator made.",
    )
    access_changed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When somebody else last extended it."
    )

    sessions_ended_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Sign-ins from before are over."
    )

    time_zone = models.CharField(
        max_length=50,
        blank=True,
        default="",
        db_default="",
        editable=False,
        validators=[validate_zone],
        help_text="Of staff: in which the back office shows times. Empty: STAFF_TIME_ZONE.",
    )

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]  # ours, not Django's

    class Meta:
        constraints = [
            check("user_email_is_lower_case", Q(email=Lower("email"))),
            check("user_type_known", Q(user_type__in=UserType.values)),
            check("user_superuser_is_staff", Q(is_superuser=False) | Q(user_type=UserType.STAFF)),
            check("user_not_confirmed_by_creator", ~Q(confirmed_by=F("created_by"))),
            check("user_not_confirmed_by_themselves", ~Q(confirmed_by=F("id"))),
        ]

    def __str__(self) -> str:
        """Return the name or email of a member of staff, and only the id of a customer.

        Logs may show the result.
        """
        if self.is_staff:
            return self.get_full_name() or self.email
        return f"user {self.external_id}"

    @property
    def is_staff(self) -> bool:  # type: ignore[override]  # derived: it cannot contradict the type
        """Return whether the user may enter the back office."""
        return self.user_type == UserType.STAFF

    @property
    def own_words(self) -> list[str]:
        """Return the words that the user's password must not consist of.

        They are names, email addresses and website of the user and of their business or firm.
        """
        words = [self.email, self.first_name, self.last_name]
        if owner := getattr(self, "business_owner", None):
            business = owner.business
            words += [owner.first_name, owner.last_name, owner.email]
            words += [business.legal_name, business.email, business.website]
        if accountant := getattr(self, "accountant", None):
            words.append(accountant.firm_name)
        return words

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Return the digest that Django compares with a session's; a session that differs is over.

        It changes with the password and with `sessions_ended_at`.
        """
        digest: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]  # not in stubs
        if self.sessions_ended_at is None:
            return digest
        ended_at = self.sessions_ended_at.isoformat()
        salt = "banking.models.users.sessions_ended_at"
        return salted_hmac(salt, digest + ended_at, secret=secret, algorithm="sha256").hexdigest()

    @property
    def access_since(self) -> datetime:
        """Return when the account was created or, if later, when another person gave it access."""
        return max(self.date_joined, self.access_changed_at or self.date_joined)
