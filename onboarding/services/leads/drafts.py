"""Drafts: values of an applicant or an owner, saved by a three-way merge.

No tab undoes the changes of another tab.

Names are flat here: `business_address.city` is the city of the address, `edd_answers.0` the first
answer. A page carries a mark of each value that it showed, see `marks`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from foundation.privacy.fields import encrypted_names
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Supplier
from onboarding.errors import ErrorCode, Fault, Invalid
from onboarding.models import Application, Owner, OwnerInvitation
from onboarding.models.people import Person
from onboarding.names import wire
from onboarding.queries.leads import list_owners, lock_application
from onboarding.services.applications.attempts import LeadLocked
from onboarding.services.events.history import APPLICANT, OWNER, record_change
from onboarding.services.leads import marks
from onboarding.services.leads.changes import check_between
from onboarding.services.leads.merging import columns_of, merge_into
from onboarding.services.leads.owners import STATED, delete_owners

Values = Mapping[str, Any]
NOTHING: Mapping[str, str] = {}
ACTORS = {Supplier.APPLICANT: APPLICANT, Supplier.OWNER: OWNER}
CONTACT = {"first_name", "last_name", "email"}  # and, until the owner has completed, who that is


class NotYourPart(Exception):
    """The values are for somebody else to fill in: the owner who was invited, or the applicant."""


@dataclass(frozen=True)
class Saved:
    """The saved person, and the flat names of unsaved values that were changed elsewhere."""

    person: Person
    conflicts: list[str] = field(default_factory=list)


@transaction.atomic
def save_lead(
    application: Application,
    values: Values,
    *,
    seen: str,
    at: datetime,
    confirmed: Mapping[str, str] = NOTHING,
) -> Saved:
    """Save values of the applicant and of the business, except values changed elsewhere.

    `values`, and in `confirmed` the doubtful values that the applicant confirmed, are by flat name.
    `seen` has the signed marks of the values that the page showed (`marks.remember`).
    Raises: LeadLocked after the submission, Invalid for values that contradict each other.
    """
    locked = lock_editable(application)
    lead = locked.lead
    changed, conflicts = _merge(lead, values, by=Supplier.APPLICANT, seen=seen)
    if changed:
        check_between(lead, list(lead.owners.order_by("pk")))
        names, columns = sorted(map(wire, changed)), columns_of(changed)
        record_change(locked, names, by=APPLICANT, at=at, columns=columns)
    _confirm(lead, confirmed)
    return Saved(lead, conflicts)


@transaction.atomic
def save_owner(
    application: Application,
    owner_id: str | None,
    values: Values,
    *,
    by: Supplier = Supplier.APPLICANT,
    seen: str,
    at: datetime,
    confirmed: Mapping[str, str] = NOTHING,
) -> Saved:
    """Save values of an owner, or of a new owner if `owner_id` is None, unless changed elsewhere.

    A new owner needs an email, so that a form that is sent twice is refused. With another email,
    reminders that the owner stopped are resumed. `by` is APPLICANT or OWNER, and says who typed
    the values; `seen` and `confirmed` are as in `save_lead`.
    Raises: LeadLocked, Invalid, Owner.DoesNotExist, NotYourPart.
    """
    if owner_id is None and not values.get("email"):
        raise Invalid([Fault(ErrorCode.REQUIRED_FIELD_MISSING, ("email",))])
    locked = lock_editable(application)
    owners = list_owners(locked.lead)
    owner = Owner(lead=locked.lead) if owner_id is None else pick(owners, owner_id)
    _require_turn(owner, values, by)
    changed, conflicts = _merge(owner, values, by=by, seen=seen)
    if changed or owner.pk is None:
        merged = owners if owner.pk else [*owners, owner]
        check_between(locked.lead, merged)
        is_new = owner.pk is None
        owner.save(force_insert=is_new, update_fields=None if is_new else columns_of(changed))
        if "email" in changed and not is_new:
            _forget_stop(owner)
        ubo_id = str(owner.external_id)
        record_change(locked, [wire("owners")], by=ACTORS[by], at=at, ubo_id=ubo_id)
    _confirm(owner, confirmed)
    return Saved(owner, conflicts)


def _forget_stop(owner: Owner) -> None:
    """Let automatic reminders be sent to an owner whose email has changed.

    The reader of the mailbox before stopped them, and another person may read the new one.
    """
    OwnerInvitation.objects.filter(owner=owner).update(reminders_stopped_at=None)


@transaction.atomic
def remove_owner(application: Application, owner_id: str, *, at: datetime) -> None:
    """Remove an owner unless the owner is removed already. Raises: LeadLocked."""
    locked = lock_editable(application)
    if delete_owners(locked.lead.owners.filter(external_id=owner_id)):
        names, ubo_id = [wire("owners")], str(owner_id)
        record_change(locked, names, by=APPLICANT, at=at, ubo_id=ubo_id, removed=True)


@transaction.atomic
def choose_control_person(
    application: Application,
    owner_id: str | None,
    *,
    at: datetime,
    confirmed: Mapping[str, str] = NOTHING,
) -> None:
    """Mark an owner, or without an id the applicant, as the only control person.

    `confirmed` is empty, or maps `confirmed_answers.OTHERS` to the text of `shares_of` for which
    the applicant confirmed that there are no further owners. It is saved with the lead as a mark.
    Raises: LeadLocked, Owner.DoesNotExist.
    """
    locked = lock_editable(application)
    owners = list(locked.lead.owners.order_by("pk"))
    chosen = pick(owners, owner_id) if owner_id else locked.lead
    changed = False
    for person in [locked.lead, *owners]:
        names = merge_into(person, {"is_control_person": person is chosen}, by=Supplier.APPLICANT)
        if names:
            person.save(update_fields=columns_of(names))
            changed = True
    if changed:
        record_change(locked, [wire("is_control_person")], by=APPLICANT, at=at)
    _confirm(locked.lead, confirmed)


def _confirm(person: Person, confirmed: Mapping[str, str]) -> None:
    if marks.confirm(person, confirmed):
        person.save(update_fields=["confirmed"])


def lock_editable(application: Application) -> Application:
    """Return the application, locked with its lead.

    Raises: LeadLocked if it was submitted, has ended, or a newer attempt has begun.
    """
    locked = lock_application(pk=application.pk)
    if locked is None or not Status(locked.status).is_editable:
        raise LeadLocked
    return locked


def pick(owners: list[Owner], owner_id: str) -> Owner:
    """Return the owner with the id. Raises: Owner.DoesNotExist."""
    for owner in owners:
        if str(owner.external_id) == str(owner_id):
            return owner
    raise Owner.DoesNotExist


def _require_turn(owner: Owner, values: Values, by: Supplier) -> None:
    """Refuse values that are for somebody else to fill in. Raises: NotYourPart."""
    if by is Supplier.OWNER:
        is_turn = owner.is_waited_for
    elif owner.is_waited_for:
        is_turn = values.keys() <= STATED | CONTACT
    else:
        is_turn = not owner.has_own_part or values.keys() <= STATED
    if not is_turn:
        raise NotYourPart


def _merge(
    person: Person, values: Values, *, by: Supplier, seen: str
) -> tuple[set[str], list[str]]:
    """Set the values that the page changed, unsaved, except values changed elsewhere.

    Shape: the names of the changed columns, and the flat names of the values changed elsewhere.
    A personal number is set whenever it is sent: a conflict would let a caller guess the number.
    """
    shown = marks.read(seen)
    numbers = encrypted_names(type(person))
    mine = {name: value for name, value in values.items() if name in numbers}
    conflicts = []
    for name, value in values.items():
        sent = marks.short_mark(person, value)
        stored = marks.short_mark(person, marks.value_of(person, name))
        seen_mark = shown.get(marks.key_of(name), "")
        if name in numbers or sent in {stored, seen_mark}:
            continue
        if seen_mark and stored != seen_mark:
            conflicts.append(name)
        else:
            mine[name] = value
    return merge_into(person, _nested(person, mine), by=by, compare_numbers=False), conflicts


def _nested(person: Person, values: Values) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for name, value in values.items():
        outer, _, inner = name.partition(".")
        if outer == "edd_answers" and inner:
            asked = getattr(person, outer)[int(inner) : int(inner) + 1]
            nested.setdefault(outer, []).extend({**one, "answer": value or None} for one in asked)
        elif inner:
            nested.setdefault(outer, {})[inner] = value or None
        else:
            nested[outer] = value
    return nested
