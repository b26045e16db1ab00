"""Staff accounts: the changes of them that two administrators make, and the mails about them."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from banking.choices import StaffEventType, UserType
from banking.errors import StepRefused
from banking.models import User
from banking.services import invitations, second_person, staff_history

MAILS = "banking/mail"


class OwnAccount(StepRefused):
    """Nobody confirms their own account."""

    message = "This is your account. Someone else must confirm it."


class CreatorCannotConfirm(StepRefused):
    """The creator of an account does not confirm it."""

    message = "You created this account. Someone else must confirm it."


class StaffExist(StepRefused):
    """The first accounts are created once."""

    message = (
        "There are staff accounts already. An administrator adds others in the back office, and a "
        "second one confirms them."
    )


class AddressRefused(StepRefused):
    """An email address cannot be the address of a new member of staff."""


class NothingToConfirm(StepRefused):
    """The account was confirmed, or an operator created it by a command."""

    message = "This account needs no confirmation."


@transaction.atomic
def create_first(emails: Sequence[str], *, group_name: str, at: datetime) -> None:
    """Create the first members of staff, in a group, and mail each an invitation.

    Only operators run it, who can write the database: nobody has to confirm these accounts.
    Raises: StaffExist, AddressRefused, OSError.
    """
    if User.objects.filter(user_type=UserType.STAFF).exists():
        raise StaffExist
    addresses = [email.strip().lower() for email in emails]
    if len({*addresses}) < len(addresses):
        raise AddressRefused("Name two different people.")
    if User.objects.filter(email__in=addresses).exists():
        raise AddressRefused("A customer has one of these addresses.")
    group = Group.objects.get(name=group_name)
    users = [User.objects.create_user(email, user_type=UserType.STAFF) for email in addresses]
    group.user_set.add(*users)
    for user in users:
        staff_history.record(StaffEventType.FIRST_CREATED, by=None, at=at, **_named(user))
        invite(user)


def invite(user: User) -> None:
    """Mail a new member of staff the link to choose a first password. Raises: OSError."""
    context = {
        "location": invitations.location(user),
        "days": settings.INVITATION_LIFETIME.days,
        "password_reset": f"{settings.BASE_URL}/password-reset",
    }
    _send("staff_invitation", "Your account in the back office of {}", context, [user.email])


@transaction.atomic
def confirm(user: User, *, by: User, at: datetime) -> User:
    """Confirm an account of staff that another administrator created, and mail its user.

    From then on the account counts as a person apart from others with the same creator.
    Raises: OwnAccount, CreatorCannotConfirm, NothingToConfirm, AccountTooNew, CreatedByOther,
    CreatedBySame.
    """
    locked = User.objects.select_for_update(of=("self",)).get(pk=user.pk)
    if locked.created_by is None or locked.confirmed_by_id:
        raise NothingToConfirm
    if locked.pk == by.pk:
        raise OwnAccount
    if locked.created_by_id == by.pk:
        raise CreatorCannotConfirm
    if by.created_by_id == locked.pk:
        raise second_person.CreatedByOther
    second_person.require_two_people(locked.created_by, by, at=at)
    locked.confirmed_by = by
    locked.save(update_fields=["confirmed_by"])
    staff_history.record(StaffEventType.ACCOUNT_CONFIRMED, by=by, at=at, **_named(locked))
    _tell(["A second administrator has confirmed your account."], [locked.email])
    return locked


@transaction.atomic
def record_extension(
    user: User, changes: Sequence[str], *, at: datetime, also_to: Sequence[str] = ()
) -> None:
    """Record that somebody else extended the access of a member of staff, and mail the user.

    Until SECOND_PERSON_WAIT is over, the user does not count for decisions that need two people.
    A mail that fails is logged; the change stands.
    """
    user.access_changed_at = at
    user.save(update_fields=["access_changed_at"])
    _tell(changes, [user.email, *also_to])


def _named(user: User) -> dict[str, str]:
    return {"subject": str(user.external_id), "email": user.email}


def _tell(changes: Sequence[str], addresses: Sequence[str]) -> None:
    """Mail changes of an account after the commit. A mail that fails is logged."""
    context: dict[str, object] = {"changes": changes}
    subject = "Your account in the back office of {} was changed"
    transaction.on_commit(
        lambda: _send("staff_account_changed", subject, context, addresses), robust=True
    )


def _send(
    template: str, subject: str, context: dict[str, object], addresses: Sequence[str]
) -> None:
    text = render_to_string(f"{MAILS}/{template}.txt", {"bank_name": settings.BANK_NAME, **context})
    for address in addresses:  # in mails of their own: nobody reads the other addresses
        send_mail(subject.format(settings.BANK_NAME), text, None, [address])
