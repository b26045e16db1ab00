"""Staff accounts: the changes of them that two administrators make, and the mails about them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.template.loader import render_to_string

from banking.choices import StaffEventType, UserType
from banking.errors import StepRefused
from banking.models import User
from banking.services import invitations, mails, second_person, staff_history
from banking.signals import staff_left

MAILS = "banking/mail"
CHANGED, PROPOSED = "staff_account_changed", "staff_account_proposed"
SUBJECTS = {
    CHANGED: "Your account in the back office of {} was changed",
    PROPOSED: "A change of your account in the back office of {} was proposed",
}


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


class PersonNotMailed(StepRefused):
    """The mails about a new email address could not be sent."""

    message = "The mails about the new address could not be sent, so nothing has changed."


class NotInvited(StepRefused):
    """The account is deactivated, or the person has chosen a password."""

    message = "This person needs no invitation: the account has a password or is deactivated."


class NothingToConfirm(StepRefused):
    """The account was confirmed, or an operator created it by a command."""

    message = "This account needs no confirmation."


@transaction.atomic
def create_first(emails: Sequence[str], *, group_name: str, at: datetime) -> None:
    """Create the first members of staff, in a group, and mail each an invitation.

    Only operators run it, who can write the database: nobody has to confirm these accounts. Raises:
    StaffExist, AddressRefused, Group.DoesNotExist, OSError.
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
        record_command(StaffEventType.FIRST_CREATED, user, at=at)
        invite(user)


@transaction.atomic
def create_superuser(email: str, *, at: datetime) -> None:
    """Create a superuser for an operator, and mail them an invitation.

    Raises: AddressRefused, OSError.
    """
    email = email.strip().lower()
    if User.objects.filter(email=email).exists():
        raise AddressRefused("There is an account with this address.")
    user = User.objects.create_superuser(email)
    record_command(StaffEventType.SUPERUSER_CREATED, user, at=at)
    invite(user)


def invite(user: User) -> None:
    """Mail a new member of staff the link to choose a first password. Raises: OSError."""
    context = {
        "location": invitations.location(user),
        "days": settings.INVITATION_LIFETIME.days,
        "password_reset": f"{settings.BASE_URL}/password-reset",
    }
    _mail("staff_invitation", "Your account in the back office of {}", context, user.email).send()


@transaction.atomic
def invite_again(user: User, *, by: User, at: datetime) -> None:
    """Mail another invitation to a person without a password. Raises: NotInvited, OSError."""
    if not (user.is_staff and invitations.is_invited(user)):
        raise NotInvited
    staff_history.record(StaffEventType.INVITED_AGAIN, by=by, at=at, **_named(user))
    invite(user)


@transaction.atomic
def confirm(user: User, *, by: User, at: datetime) -> User:
    """Confirm an account of staff that another administrator created, and mail its user.

    From then on the account counts as a person apart from others with the same creator.
    Raises: OwnAccount, CreatorCannotConfirm, NothingToConfirm, AccountTooNew, CreatedByOther,
    CreatedBySame.
    """
    staff_history.lock()
    locked = User.objects.select_for_update(of=("self",)).get(pk=user.pk)
    if locked.created_by is None or locked.confirmed_by_id:
        raise NothingToConfirm
    if locked.pk == by.pk:
        raise OwnAccount
    if locked.created_by_id == by.pk:
        raise CreatorCannotConfirm
    if by.created_by_id == locked.pk:
        raise second_person.CreatedByOther
    second_person.require_administrators_wait_over(by, at=at)
    second_person.require_unrelated(locked.created_by, by)
    locked.confirmed_by = by
    locked.save(update_fields=["confirmed_by"])
    staff_history.record(StaffEventType.ACCOUNT_CONFIRMED, by=by, at=at, **_named(locked))
    _tell(CHANGED, ["A second administrator has confirmed your account."], [locked.email], at=at)
    return locked


@transaction.atomic
def record_extension(
    user: User, changes: Sequence[str], *, at: datetime, former_email: str = ""
) -> None:
    """Set the time at which somebody else extended the access of a user of staff, and mail them.

    Writes no staff event. Until SECOND_PERSON_WAIT is over, the user does not count for decisions
    that need two people. If `former_email` differs from the email, mails are sent to both addresses
    in the transaction; any other mail is queued. Raises: PersonNotMailed.
    """
    user.access_changed_at = at
    user.save(update_fields=["access_changed_at"])
    if former_email in {"", user.email}:
        _tell(CHANGED, changes, [user.email], at=at)
        return
    try:
        get_connection().send_messages(_mails(CHANGED, changes, [former_email, user.email]))
    except OSError as exc:  # includes the errors of SMTP
        raise PersonNotMailed from exc


@transaction.atomic
def record_removal(user: User, changes: Sequence[str], *, by: User, at: datetime) -> None:
    """Record that an administrator took access away, and mail the user.

    The caller takes the access away; that needs no second person.
    """
    details = {**_named(user), "summary": list(changes)}
    staff_history.record(StaffEventType.ACCESS_REMOVED, by=by, at=at, **details)
    _tell(CHANGED, changes, [user.email], at=at)


@transaction.atomic
def end_access(user: User, *, by: User, at: datetime) -> None:
    """End the sessions of a person whose account is deactivated, and send `staff_left`.

    A later activation does not bring the sessions back.
    """
    User.objects.filter(pk=user.pk).update(sessions_ended_at=at)
    staff_left.send(User, user=user, by=by, at=at)


@transaction.atomic
def record_new_name(user: User, changes: Sequence[str], *, by: User, at: datetime) -> None:
    """Record that an administrator changed a name, and mail the user.

    The caller changes the name; that needs no second person.
    """
    details = {**_named(user), "summary": list(changes)}
    staff_history.record(StaffEventType.RENAMED, by=by, at=at, **details)
    _tell(CHANGED, changes, [user.email], at=at)


@transaction.atomic
def record_own_change(user: User, changes: Sequence[str], *, at: datetime) -> None:
    """Record that a member of staff changed their own password or second factor. Mails nobody."""
    details = {**_named(user), "summary": list(changes)}
    staff_history.record(StaffEventType.CREDENTIALS_CHANGED, by=user, at=at, **details)


@transaction.atomic
def record_group_deletion(group: Group, *, by: User, at: datetime) -> None:
    """Record that an administrator deletes a group, and mail its members.

    Call it before the group is deleted.
    """
    emails = list(group.user_set.order_by("pk").values_list("email", flat=True))
    changes = [f"Group {group} was deleted.", *(f"{email} lost it." for email in emails)]
    staff_history.record(StaffEventType.ACCESS_REMOVED, by=by, at=at, summary=changes)
    _tell(CHANGED, changes[:1], emails, at=at)


@transaction.atomic
def record_command(event_type: StaffEventType, user: User, *, at: datetime) -> None:
    """Record a staff event of type `event_type` about a user, caused by an operator's command."""
    staff_history.record(event_type, by=None, at=at, **_named(user))


def tell_proposal(user: User, changes: Sequence[str], *, at: datetime) -> None:
    """Mail a member of staff that a change of their access was proposed."""
    _tell(PROPOSED, changes, [user.email], at=at)


def tell_change(user: User, changes: Sequence[str], *, at: datetime) -> None:
    """Mail a member of staff the changes of their access; the caller records the staff event."""
    _tell(CHANGED, changes, [user.email], at=at)


def _named(user: User) -> dict[str, str]:
    return {"subject": str(user.external_id), "email": user.email}


def _tell(template: str, changes: Sequence[str], addresses: Sequence[str], *, at: datetime) -> None:
    """Queue mails about changes of an account."""
    for message in _mails(template, changes, addresses):
        mails.queue(str(message.subject), str(message.body), to=message.to[0], at=at)


def _mails(template: str, changes: Sequence[str], addresses: Sequence[str]) -> list[EmailMessage]:
    """Return a mail for each address: nobody reads the other addresses."""
    subject, context = SUBJECTS[template], {"changes": changes}
    return [_mail(template, subject, context, address) for address in addresses]


def _mail(template: str, subject: str, context: Mapping[str, Any], address: str) -> EmailMessage:
    text = render_to_string(f"{MAILS}/{template}.txt", {"bank_name": settings.BANK_NAME, **context})
    return EmailMessage(subject.format(settings.BANK_NAME), text, to=[address])
