"""Access changes: new members of staff, more access and groups, proposed and carried out."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Group, Permission

from banking.choices import UserType
from banking.models import StaffChange, User
from banking.services import staff_accounts, staff_changes


def propose_account(
    *, email: str, first_name: str, last_name: str, groups: Iterable[Group], by: User, at: datetime
) -> StaffChange:
    """Propose a new member of staff. Raises: AccountTooNew."""
    groups = sorted(groups, key=str)
    names = {"first_name": first_name, "last_name": last_name}
    payload = {"email": email, **names, "groups": [group.pk for group in groups]}
    person = " ".join(filter(None, [first_name, last_name, f"<{email}>"]))
    summary = [f"New member of staff: {person}.", *(f"Role: {group}." for group in groups)]
    return staff_changes.propose(NEW_ACCOUNT, payload=payload, summary=summary, by=by, at=at)


def propose_access(
    user: User,
    *,
    values: Mapping[str, Any],
    groups: Iterable[Group] = (),
    permissions: Iterable[Permission] = (),
    summary: Sequence[str],
    by: User,
    at: datetime,
) -> StaffChange:
    """Propose to extend the access of a member of staff. Raises: AccountTooNew.

    `values` are new values of the user's columns, by column name. Groups and permissions are added
    to those of the user. `summary` is shown to the second administrator.
    """
    payload = {
        "user": user.pk,
        "values": dict(values),
        "groups": sorted(group.pk for group in groups),
        "permissions": sorted(permission.pk for permission in permissions),
    }
    return staff_changes.propose(
        ACCESS, payload=payload, summary=summary, subject=user, by=by, at=at
    )


def propose_group(
    group: Group, *, name: str, permissions: Iterable[Permission], by: User, at: datetime
) -> StaffChange:
    """Propose a new group, or another name or other permissions of a group.

    An unsaved `group` is a new one. The members of a group are mailed if its permissions would
    change. Raises: AccountTooNew.
    """
    wanted = sorted(permissions, key=lambda one: one.pk)
    held = list(group.permissions.all()) if group.pk else []
    summary = [f"Group {group.name or name}."]
    if group.pk and name != group.name:
        summary.append(f"Another name: {name}.")
    summary += [f"{name} was given a permission: {one}." for one in wanted if one not in held]
    summary += [f"{name} lost a permission: {one}." for one in held if one not in wanted]
    payload = {"pk": group.pk, "name": name, "permissions": [one.pk for one in wanted]}
    change = staff_changes.propose(GROUP, payload=payload, summary=summary, by=by, at=at)
    if group.pk and {*wanted} != {*held}:
        for member in group.user_set.order_by("pk"):
            staff_accounts.tell_proposal(member, summary, at=at)
    return change


def _basis_of_account(change: StaffChange) -> Any:
    is_taken = User.objects.filter(email=change.payload["email"]).exists()
    return [is_taken, _describe(change.payload["groups"])]


def _create_account(change: StaffChange) -> None:
    said = change.payload
    user = User(email=said["email"], first_name=said["first_name"], last_name=said["last_name"])
    user.user_type, user.date_joined = UserType.STAFF, _settled_at(change)
    user.created_by, user.confirmed_by = change.proposed_by, change.settled_by
    user.set_unusable_password()
    user.save()
    user.groups.set(said["groups"])
    change.subject = user
    change.save(update_fields=["subject"])


def _basis_of_access(change: StaffChange) -> Any:
    user = User.objects.get(pk=change.payload["user"])
    return [
        user.email,
        user.is_active,
        user.is_superuser,
        user.has_usable_password(),
        sorted(user.groups.values_list("pk", flat=True)),
        sorted(user.user_permissions.values_list("pk", flat=True)),
        _describe(change.payload["groups"]),
    ]


def _extend_access(change: StaffChange) -> None:
    said = change.payload
    user = User.objects.select_for_update(of=("self",)).get(pk=change.payload["user"])
    former = user.email
    for name, value in said["values"].items():
        setattr(user, name, value)
    if user.email != former and change.proposed_by != user:  # a mail to it sets a password
        user.created_by, user.confirmed_by = change.proposed_by, change.settled_by
    user.save(update_fields=[*said["values"], "created_by", "confirmed_by"])
    user.groups.add(*said["groups"])
    user.user_permissions.add(*said["permissions"])
    staff_accounts.record_extension(
        user, change.summary, at=_settled_at(change), former_email=former
    )


def _basis_of_group(change: StaffChange) -> Any:
    pk, name = change.payload["pk"], change.payload["name"]
    is_taken = Group.objects.filter(name=name).exclude(pk=pk or 0).exists()
    return [is_taken, _describe([pk])]


def _save_group(change: StaffChange) -> None:
    said = change.payload
    group = Group.objects.get(pk=said["pk"]) if said["pk"] else Group()
    group.name = said["name"]
    group.save()
    held, wanted = {*group.permissions.values_list("pk", flat=True)}, {*said["permissions"]}
    group.permissions.set(wanted)
    tell = staff_accounts.record_extension if wanted - held else staff_accounts.tell_change
    if wanted != held:
        for member in group.user_set.order_by("pk"):
            tell(member, change.summary, at=_settled_at(change))


def _describe(groups: Sequence[int | None]) -> list[Any]:
    """Return key, name and permission keys of each group that exists; None in `groups` is skipped.

    The list is a part of a proposal's basis: a change of these groups voids the proposal.
    """
    found = Group.objects.filter(pk__in=[pk for pk in groups if pk]).order_by("pk")
    return [
        [group.pk, group.name, sorted(group.permissions.values_list("pk", flat=True))]
        for group in found
    ]


def _settled_at(change: StaffChange) -> datetime:
    assert change.settled_at  # noqa: S101 - the service settles a change before it is carried out
    return change.settled_at


NEW_ACCOUNT = staff_changes.register(
    staff_changes.Kind("ACCOUNT", "New member of staff", _basis_of_account, _create_account)
)
ACCESS = staff_changes.register(
    staff_changes.Kind("ACCESS", "More access", _basis_of_access, _extend_access)
)
GROUP = staff_changes.register(staff_changes.Kind("GROUP", "Group", _basis_of_group, _save_group))
