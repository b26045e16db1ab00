"""Owners of a lead's business: merged with what is sent, then saved in two statements at most."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from onboarding.choices import Supplier
from onboarding.models import Lead, Owner
from onboarding.names import wire
from onboarding.services.merging import (
    columns_of,
    identity_of,
    kept_from_applicant,
    merge_into,
    owner_identity,
)


@dataclass
class Roll:
    """The owners of a lead after a merge that is not saved yet.

    `changed` maps the position of a stored owner in `owners` to the names of its changed values;
    `kept` has the paths of sent values which did not overwrite the applicant's.
    """

    owners: list[Owner]
    added: list[Owner] = field(default_factory=list)
    changed: dict[int, set[str]] = field(default_factory=dict)
    kept: list[tuple[str | int, ...]] = field(default_factory=list)

    @property
    def is_changed(self) -> bool:
        """Say whether there is anything to save."""
        return bool(self.added or self.changed)


def merge_owners(lead: Lead, sent: list[Mapping[str, Any]], *, keep_applicants: bool) -> Roll:
    """Merge the sent owners into the lead's: known ones by email, or else by SSN or name."""
    if not sent and lead.pk is None:
        return Roll([])
    roll = Roll(list(lead.owners.order_by("pk")) if lead.pk else [])
    places = {identity_of(owner): place for place, owner in enumerate(roll.owners)}
    for position, details in enumerate(sent):
        place = places.setdefault(owner_identity(details), len(roll.owners))
        if place == len(roll.owners):
            roll.owners.append(Owner(lead=lead))
            roll.added.append(roll.owners[place])
        owner = roll.owners[place]
        kept = kept_from_applicant(owner, details) if keep_applicants else set()
        roll.kept += [(wire("owners"), position, wire(name)) for name in sorted(kept)]
        values = {name: value for name, value in details.items() if name not in kept}
        changed = merge_into(owner, values, by=Supplier.PARTNER)
        if changed and owner.pk:
            roll.changed.setdefault(place, set()).update(changed)
    return roll


def save_owners(roll: Roll) -> None:
    """Insert the added owners and update the changed ones; their lead is saved already."""
    for owner in roll.added:
        owner.lead_id = owner.lead.pk
    if roll.added:
        Owner.objects.bulk_create(roll.added)
    if roll.changed:
        columns = columns_of(set().union(*roll.changed.values()))
        Owner.objects.bulk_update([roll.owners[place] for place in roll.changed], columns)
