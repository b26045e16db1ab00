"""Postal addresses: the lines of a business's address that its documents print."""

from banking.choices import AddressKind
from banking.models import BusinessAddress


def mailing_lines(business_id: int) -> tuple[str, ...]:
    """Return the lines of a business's mailing address, else of its registered one, else ()."""
    addresses = {
        address.kind: tuple(address.lines)
        for address in BusinessAddress.objects.filter(business=business_id)
    }
    return addresses.get(AddressKind.MAILING) or addresses.get(AddressKind.REGISTERED) or ()
