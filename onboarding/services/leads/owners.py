"""Owners: sent owners merged with the owners of a lead, and saved."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from foundation.database import prepared_statements
from foundation.database.inserts import insert
from foundation.privacy.fields import with_indexes
from onboarding.choices import DocumentStatus, Supplier
from onboarding.models import Document, Lead, Owner
from onboarding.names import wire
from onboarding.queries.leads import list_owners
from onboarding.services.leads import form_drafts
from onboarding.services.leads.merging import columns_of, list_kept, list_replaced, merge_into

NUMBERS = ("ssn", "passport_number", "id_gov_number")
NAMES = ("first_name", "last_name")
STATED = {"ownership_percent", "title", "role"}  # what the applicant says about any owner
KEPT_ALWAYS = [Supplier.OWNER]
KEPT = [Supplier.APPLICANT, Supplier.OWNER]


@dataclass
class OwnerMerge:
    """The owners of a lead after a merge that is not saved yet.

    `places` has the position in `owners` of each sent owner; `changed` maps the position of a
    stored owner to the names of its changed values; `kept` has the paths of sent values that did
    not overwrite values from the applicant or the owner.
    """

    owners: list[Owner]
    places: list[int] = field(default_factory=list)
    added: list[Owner] = field(default_factory=list)
    changed: dict[int, set[str]] = field(default_factory=dict)
    kept: list[tuple[str | int, ...]] = field(default_factory=list)
    removed: list[Owner] = field(default_factory=list)

    @property
    def is_changed(self) -> bool:
        """Return whether an owner was added, changed or removed."""
        return bool(self.added or self.changed or self.removed)


def merge_owners(
    lead: Lead,
    sent: list[Mapping[str, Any]],
    *,
    keep_applicants: bool,
    compare_numbers: bool = True,
) -> OwnerMerge:
    """Merge the partner's owners into the lead's owners, unsaved, matched by `find_owner`.

    Values from an owner are never overwritten; with `keep_applicants`, nor are values from the
    applicant. Of an owner who completes a part of their own, the partner changes only the share,
    title and role: the owner confirms the other values, and signs them.
    """
    if not sent and lead.pk is None:
        return OwnerMerge([])
    merge = OwnerMerge(list_owners(lead) if lead.pk else [])
    for position, details in enumerate(sent):
        place = find_owner(merge.owners, details, taken=merge.places)
        if place is None:
            place = len(merge.owners)
            merge.owners.append(Owner(lead=lead))
            merge.added.append(merge.owners[place])
        merge.places.append(place)
        owner = merge.owners[place]
        kept = list_kept(owner, details, of=KEPT if keep_applicants else KEPT_ALWAYS)
        if owner.pk and owner.has_own_part:
            kept |= list_replaced(owner, details) - STATED
        merge.kept += [(wire("owners"), position, wire(name)) for name in sorted(kept)]
        values = {name: value for name, value in details.items() if name not in kept}
        changed = merge_into(owner, values, by=Supplier.PARTNER, compare_numbers=compare_numbers)
        if changed and owner.pk:
            merge.changed.setdefault(place, set()).update(changed)
    return merge


def remove_owners(lead: Lead) -> OwnerMerge:
    """Return the unsaved merge that removes all owners except owners with their own part."""
    owners = list_owners(lead)
    mine = [owner for owner in owners if owner.has_own_part]
    kept: list[tuple[str | int, ...]] = [(wire("owners"),)] if mine else []
    return OwnerMerge(
        mine, kept=kept, removed=[owner for owner in owners if not owner.has_own_part]
    )


def find_owner(
    owners: Iterable[Owner], details: Mapping[str, Any], *, taken: Collection[int] = ()
) -> int | None:
    """Return the position of the stored owner that the details describe, or None.

    An owner matches by email, or else by name unless the emails or the birth dates differ.
    Personal numbers are never compared: the API's response shows the match, so a caller could
    guess numbers. Positions in `taken` match by email only: owners of one request stay apart.
    """
    known = list(enumerate(owners))
    untaken = [(place, owner) for place, owner in known if place not in taken]
    for is_same, among in ((_share_email, known), (_share_name, untaken)):
        for place, owner in among:
            if is_same(owner, details):
                return place
    return None


def _share_email(owner: Owner, details: Mapping[str, Any]) -> bool:
    return bool(owner.email) and owner.email == details.get("email")


def _share_name(owner: Owner, details: Mapping[str, Any]) -> bool:
    name = [details.get(part) or "" for part in NAMES]
    if name != [getattr(owner, part) for part in NAMES]:
        return False
    if not any(name):  # only their order distinguishes owners without a name
        return not (owner.email or details.get("email")) and _have_the_same_kinds(owner, details)
    return not _differ(owner, details, ["email", "birth_date"])


def _have_the_same_kinds(owner: Owner, details: Mapping[str, Any]) -> bool:
    """Return whether the stored and the sent owner have the same kinds of personal numbers."""
    return all(bool(getattr(owner, name)) == bool(details.get(name)) for name in NUMBERS)


def _differ(owner: Owner, details: Mapping[str, Any], names: Iterable[str]) -> bool:
    pairs = ((getattr(owner, name), details.get(name)) for name in names)
    return any(ours and theirs and ours != theirs for ours, theirs in pairs)


def save_owners(merge: OwnerMerge) -> None:
    """Insert, update and delete the owners of a merge. Call it after the lead is saved."""
    insert(*merge.added)
    save_changed(merge)


def save_changed(merge: OwnerMerge) -> None:
    """Update and delete the owners of a merge; the caller inserts the added owners."""
    if merge.changed:
        columns = with_indexes(Owner, columns_of(set().union(*merge.changed.values())))
        prepared_statements.update_all([merge.owners[place] for place in merge.changed], columns)
    if merge.removed:
        delete_owners(Owner.objects.filter(pk__in=[owner.pk for owner in merge.removed]))


def delete_owners(owners: QuerySet[Owner]) -> bool:
    """Delete owners with the drafts of their pages; return whether any row was deleted.

    Their documents stay on record as REPLACED, and satisfy no requirement any more.
    """
    form_drafts.discard_of(owners)
    documents = Document.objects.filter(owner__in=owners)
    documents.update(status=DocumentStatus.REPLACED, owner=None)
    deleted, _ = owners.delete()
    return bool(deleted)
