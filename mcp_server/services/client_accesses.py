"""The end of a firm's access to a business, with the tokens that only served it."""

from contextlib import suppress
from datetime import datetime

from django.db import transaction

from banking.models import ClientAccess, Firm
from banking.services import clients
from banking.transitions import InvalidTransition
from mcp_server.services import connections


@transaction.atomic
def end_access(access: ClientAccess, *, at: datetime) -> None:
    """End an access, or an invitation, at once. Raises: InvalidTransition if it has ended.

    The people of a firm that has no connected client left lose the tokens of all assistants. The
    lock of the firm makes the ends of two accesses wait for each other.
    """
    firm = Firm.objects.select_for_update(of=("self",), no_key=True).get(pk=access.firm_id)
    clients.revoke_access(access, at=at)
    if not firm.accesses.connected(at=at).exists():
        for person in firm.people.select_related("user").order_by("user"):
            connections.end_all(person.user, at=at)


def end_accesses_that_are_over(*, at: datetime) -> int:
    """End the accesses whose end date has passed, and return how many there were."""
    ended = 0
    for access in ClientAccess.objects.over(at=at).order_by("pk"):
        with suppress(InvalidTransition):  # its owner, just now
            end_access(access, at=at)
            ended += 1
    return ended
