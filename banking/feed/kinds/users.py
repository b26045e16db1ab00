"""Users: customers and accountants who sign in. Staff are never sent."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from django.db.models import QuerySet
from pydantic import Field, StringConstraints

from banking.choices import UserType
from banking.feed import references
from banking.feed.plain import PlainKind
from banking.feed.registry import Work, register
from banking.feed.schemas import Data, Id, Reference
from banking.models import BusinessOwner, User

Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
OwnerId = Annotated[Id, Reference("owners")]
NO_BUSINESS_USER = "Only a user of the type BUSINESS signs in as an owner."
NO_SIGN_IN_ROLE = "This owner is not the primary owner and has no signInRole."
HAS_USER = "Another user signs in as this owner."
HAS_PASSWORD = "A user who has chosen a password keeps the email address."  # noqa: S105 - a text
KEEPS_OWNER = "A user who has chosen a password keeps the owner; staff release the owner."


class UserData(Data):
    """A user who signs in. A new user has no password, and chooses one by an invitation."""

    email: Annotated[str, StringConstraints(max_length=254, to_lower=True)]
    first_name: Name
    last_name: Name
    user_type: Literal["BUSINESS", "ACCOUNTANT"]
    is_active: bool = Field(default=True, description="A user who is not active cannot sign in.")
    owner: OwnerId | None = Field(default=None, description="The owner who signs in as this user.")


class UserKind(PlainKind[UserData]):
    """Users: a removed user cannot sign in any more, and the row stays."""

    elsewhere: ClassVar[frozenset[str]] = frozenset({"owner"})

    def rows(self) -> "QuerySet[User]":
        return User.objects.exclude(user_type=UserType.STAFF)

    def complete(self, works: Sequence[Work[UserData]], *, at: datetime) -> None:
        keys = [work.row.pk for work in works if work.had_row]
        locked = User.objects.select_for_update(of=("self",), no_key=True)
        stored = {user.pk: user for user in locked.filter(pk__in=keys).order_by("pk")}
        owners = dict(BusinessOwner.objects.filter(user__in=keys).values_list("user_id", "pk"))
        for work in works:
            user: User = work.row
            if work.had_row:
                _keep_sign_in(work, stored[user.pk], owners.get(user.pk))
            else:
                user.set_unusable_password()
                user.date_joined = at
            self._check_owner(work)

    def save(self, works: Sequence[Work[UserData]], *, at: datetime) -> None:
        super().save(works, at=at)
        for work in works:
            if not work.faults:
                _sign_in_as(work.target("owners", work.data.owner), work.row)

    def remove(self, row: User, *, at: datetime) -> None:
        row.is_active = False
        row.save(update_fields=["is_active"])

    def represent(self, row: User) -> dict[str, Any]:
        owner = BusinessOwner.objects.filter(user=row).values_list("pk", flat=True).first()
        ids = references.external_ids_of("owners", [owner])
        return super().represent(row) | {"owner": ids.get(owner or 0)}

    def _check_owner(self, work: Work[UserData]) -> None:
        key = work.target("owners", work.data.owner)
        if key is None:
            return
        if work.data.user_type != UserType.BUSINESS:
            work.refuse(NO_BUSINESS_USER, "owner")
        owner = BusinessOwner.objects.get(pk=key)
        if not owner.may_sign_in:
            work.refuse(NO_SIGN_IN_ROLE, "owner")
        if owner.user_id not in {None, work.row.pk}:
            work.refuse(HAS_USER, "owner")


def _keep_sign_in(work: Work[UserData], stored: User, owner_key: int | None) -> None:
    """Keep the password of a stored user.

    If the user has chosen a password, a line with another email address or owner is refused.
    """
    work.row.password = stored.password
    if not stored.has_usable_password():
        return
    if work.row.email != stored.email:
        work.refuse(HAS_PASSWORD, "email")
    if owner_key not in {None, work.target("owners", work.data.owner)}:
        work.refuse(KEEPS_OWNER, "owner")


def _sign_in_as(owner_key: int | None, user: User) -> None:
    """Let the user sign in as this owner and as no other; None ends the sign-in as any owner."""
    BusinessOwner.objects.filter(user=user).exclude(pk=owner_key or 0).update(user=None)
    BusinessOwner.objects.filter(pk=owner_key or 0).update(user=user)


register(
    UserKind(
        "users",
        UserData,
        User,
        shows=["svc_get_current_user"],
        fixed=["user_type"],
        identity=["email"],
    )
)
