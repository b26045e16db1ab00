"""Holders: trusts and companies with a share of the business, and the people who hold them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction

from onboarding.models import Application, Holder, Lead, Owner, Stake
from onboarding.names import wire
from onboarding.queries.holdings import Holding, list_holdings, walk
from onboarding.queries.leads import list_owners
from onboarding.services.events.history import APPLICANT, record_change
from onboarding.services.leads import drafts
from onboarding.validators import WHOLE, ownership_total

MOST = 20  # holders of a lead


class TooManyHolders(Exception):
    """The lead has as many trusts and companies as it may have."""


class CircularHolding(Exception):
    """A holder would be held by itself."""


class SharesExceeded(Exception):
    """The shares of the business, or of one holder, exceed 100 percent."""


@dataclass(frozen=True)
class HolderDetails:
    """The applicant's answers about a trust or company that holds a share.

    `share_percent` is its share of the business or, with a `parent_id`, of that other holder. A
    blank `ein` keeps the stored number. `is_rest_small` says that nobody else holds 25 percent of
    the business through it. `stakes` maps the ids of owners to percents of the holder; the
    applicant's percent is under None.
    """

    kind: str
    name: str
    share_percent: Decimal
    ein: str = ""
    parent_id: UUID | None = None
    is_rest_small: bool = False
    stakes: Mapping[UUID | None, Decimal] | None = None


@transaction.atomic
def save_holder(
    application: Application, holder_id: UUID | None, details: HolderDetails, *, at: datetime
) -> Holder:
    """Change a trust or a company of the lead, or add one if `holder_id` is None.

    The stakes of `details` replace all stakes in it; None removes them. Records an event.
    Raises: LeadLocked, Holder.DoesNotExist, Owner.DoesNotExist, TooManyHolders, CircularHolding,
    SharesExceeded.
    """
    locked = drafts.lock_editable(application)
    lead, owners = locked.lead, list_owners(locked.lead)
    known = {one.external_id: one for one in Holder.objects.filter(lead=lead)}
    if holder_id is None and len(known) >= MOST:
        raise TooManyHolders
    holder = _pick(known, holder_id) if holder_id else Holder(lead=lead, created_at=at)
    holder.parent = _pick(known, details.parent_id) if details.parent_id else None
    _require_tree(holder, known)
    for name in ("kind", "name", "share_percent", "is_rest_small"):
        setattr(holder, name, getattr(details, name))
    holder.ein = details.ein or holder.ein
    holder.save()
    _save_stakes(holder, details.stakes or {}, owners)
    require_shares(lead, owners, list_holdings(lead, [lead, *owners]))
    _record(locked, holder, at)
    return holder


@transaction.atomic
def remove_holder(application: Application, holder_id: UUID, *, at: datetime) -> None:
    """Remove a trust or company, the holders behind it, and all stakes in them.

    Does nothing if the lead has no such holder. Raises: LeadLocked.
    """
    locked = drafts.lock_editable(application)
    for holder in Holder.objects.filter(lead=locked.lead, external_id=holder_id):
        _record(locked, holder, at, removed=True)
        holder.delete()


def require_shares(lead: Lead, owners: Sequence[Owner], holdings: list[Holding]) -> None:
    """Require that the shares of the business, and of each holder, add up to at most 100 percent.

    Raises: SharesExceeded.
    """
    direct = ownership_total(lead.email, lead.ownership_percent, [*map(vars, owners)])
    of_business = sum((one.share for one in holdings), start=direct)
    if max([of_business, *(one.held for one in walk(holdings))]) > WHOLE:
        raise SharesExceeded


def _pick(known: Mapping[UUID, Holder], holder_id: UUID) -> Holder:
    if holder_id not in known:
        raise Holder.DoesNotExist
    return known[holder_id]


def _require_tree(holder: Holder, known: Mapping[UUID, Holder]) -> None:
    by_pk = {one.pk: one for one in known.values()}
    above = holder.parent
    while above is not None:
        if above.pk == holder.pk:
            raise CircularHolding
        above = by_pk[above.parent_id] if above.parent_id else None


def _save_stakes(
    holder: Holder, stakes: Mapping[UUID | None, Decimal], owners: Sequence[Owner]
) -> None:
    keys: dict[UUID | None, int | None] = {owner.external_id: owner.pk for owner in owners}
    keys[None] = None
    if stakes.keys() - keys.keys():
        raise Owner.DoesNotExist
    holder.stakes.all().delete()
    Stake.objects.bulk_create(
        Stake(holder=holder, owner_id=keys[person], share_percent=share)
        for person, share in stakes.items()
        if share
    )


def _record(application: Application, holder: Holder, at: datetime, **facts: Any) -> None:
    names, holder_id = [wire("holders")], str(holder.external_id)
    record_change(application, names, by=APPLICANT, at=at, holder_id=holder_id, **facts)
