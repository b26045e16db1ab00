"""The end of an accountant's access to a business, with the tokens that only served it."""

from contextlib import suppress
from datetime import datetime

from django.db import transaction

from banking.models import Accountant, ClientAccess
from banking.services import clients
from banking.transitions import InvalidTransition
from mcp_server.services import connections


@transaction.atomic
def end_access(access: ClientAccess, *, at: datetime) -> None:
    """End an access, or an invitation, at once. Raises: InvalidTransition if it has ended.

    An accountant who has no connected client left loses the tokens of all assistants. The lock of
    the accountant makes the ends of two accesses wait for each other.
    """
    accountant = Accountant.objects.select_for_update(of=("self",)).get(pk=access.accountant_id)
    clients.revoke_access(access, at=at)
    if not accountant.accesses.connected(at=at).exists():
        connections.end_all(accountant.user, at=at)


def end_accesses_that_are_over(*, at: datetime) -> int:
    """End the accesses whose end date has passed, and return how many there were."""
    ended = 0
    for access in ClientAccess.objects.over(at=at).order_by("pk"):
        with suppress(InvalidTransition):  # its owner, just now
            end_access(access, at=at)
            ended += 1
    return ended
