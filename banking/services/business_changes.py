"""Changes of a business's name, contact data, addresses and owners, told to the bank's systems."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from banking.choices import AddressKind, BusinessOwnerRole, FeedResult
from banking.models import Business, BusinessAddress, BusinessOwner
from banking.services import feed_changes, invitations

OF_OWNER = ["first_name", "last_name", "ownership_percent", "held_through", "sign_in_role"]
OF_ADDRESS = ["line1", "line2", "city", "state", "postal_code", "country"]


class PrimaryOwnerStays(Exception):
    """The primary owner signs in for the business and cannot be removed."""


@transaction.atomic
def change_business(
    business: Business,
    *,
    values: Mapping[str, Any],
    addresses: Sequence[BusinessAddress] = (),
    cleared: Collection[AddressKind] = (),
    owners: Sequence[BusinessOwner] = (),
    removed: Collection[str] = (),
    at: datetime,
) -> list[BusinessOwner]:
    """Change a business, tell the bank's systems, and return the owners that were added.

    `values` are new values of the business's columns, by name. Addresses are unsaved rows that
    replace the address of their kind, and `cleared` has the kinds that lose their address. Owners
    are unsaved rows: each replaces the owner with its email, or is added. `removed` has emails of
    owners. An added owner who may sign in has a `user` afterwards, unless the user with the email
    cannot be used. An owner who loses the role to sign in, or is removed, cannot sign in any more.
    The role of the primary owner stays. Raises: PrimaryOwnerStays.
    """
    if values:
        feed_changes.announce("businesses", [business], FeedResult.UPDATED, at=at)
        for name, value in values.items():
            setattr(business, name, value)
        business.save(update_fields=list(values))
    for address in addresses:
        _replace_address(business, address, at=at)
    _clear_addresses(business, cleared, at=at)
    _remove_owners(business, removed, at=at)
    made = [_replace_owner(business, owner, at=at) for owner in owners]
    return [owner for owner in made if owner is not None]


def _replace_address(business: Business, address: BusinessAddress, *, at: datetime) -> None:
    known = BusinessAddress.objects.filter(business=business, kind=address.kind).first()
    if known is None:
        address.business = business
        address.save()
        feed_changes.announce("addresses", [address], FeedResult.CREATED, at=at)
        return
    feed_changes.announce("addresses", [known], FeedResult.UPDATED, at=at)
    for name in OF_ADDRESS:
        setattr(known, name, getattr(address, name))
    known.save(update_fields=OF_ADDRESS)


def _clear_addresses(business: Business, kinds: Collection[AddressKind], *, at: datetime) -> None:
    leaving = list(BusinessAddress.objects.filter(business=business, kind__in=kinds).order_by("pk"))
    feed_changes.announce("addresses", leaving, FeedResult.REMOVED, at=at)
    for address in leaving:
        address.delete()


def _remove_owners(business: Business, emails: Collection[str], *, at: datetime) -> None:
    leaving = list(BusinessOwner.objects.filter(business=business, email__in=emails).order_by("pk"))
    if any(owner.role == BusinessOwnerRole.PRIMARY_OWNER for owner in leaving):
        raise PrimaryOwnerStays
    feed_changes.announce("owners", leaving, FeedResult.REMOVED, at=at)
    for owner in leaving:
        invitations.release(owner, at=at)
        owner.delete()


def _replace_owner(
    business: Business, owner: BusinessOwner, *, at: datetime
) -> BusinessOwner | None:
    """Change the owner with the same email, or add the owner; return the owner only if added."""
    known = BusinessOwner.objects.filter(business=business, email=owner.email).first()
    if known is None:
        owner.business = business
        owner.save()
        feed_changes.announce("owners", [owner], FeedResult.CREATED, at=at)
        if owner.may_sign_in:
            invitations.give_sign_in(owner, at=at)
        return owner
    could_sign_in = known.may_sign_in
    feed_changes.announce("owners", [known], FeedResult.UPDATED, at=at)
    for name in OF_OWNER:
        setattr(known, name, getattr(owner, name))
    if could_sign_in and not known.may_sign_in:
        invitations.release(known, at=at)
    known.save(update_fields=OF_OWNER)
    if known.may_sign_in and not could_sign_in:
        invitations.give_sign_in(known, at=at)
    return None
