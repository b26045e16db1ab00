"""Users: whoever signs in with an email address."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from uuid_utils.compat import uuid7


class UserManager(BaseUserManager["User"]):
    """Creates users by email address, which is kept in lower case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create somebody who may sign in; without a password, only once one was set."""
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a staff member who may do everything."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").strip().lower())


class User(AbstractUser):
    """Somebody who signs in: a business user, an accountant or a member of staff."""

    username = None  # type: ignore[assignment]  # people sign in by email
    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)
    email = models.EmailField("email address", unique=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]  # ours, not Django's

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="user_email_is_lower_case", condition=models.Q(email=Lower("email"))
            )
        ]

    def __str__(self) -> str:
        return f"user {self.external_id}"
