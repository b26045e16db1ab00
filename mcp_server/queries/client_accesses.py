"""Accesses of accountants to a business, with the time of their last look."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from banking.choices import AccessStatus
from banking.models import Business, ClientAccess
from mcp_server.models import ACCEPT_INVITATION, ANSWERED, OPEN_CLIENTS, AccessLogEntry
from mcp_server.registry import TOOLS
from mcp_server.scopes import Scope


@dataclass(frozen=True)
class GivenAccess:
    """An accountant's access to a business. `last_looked_at` is None before the first look."""

    access: ClientAccess
    status: AccessStatus
    ended_at: datetime | None
    last_looked_at: datetime | None

    @property
    def name(self) -> str:
        """Return the accountant's name, or the email while no name is known."""
        user = self.access.accountant.user
        return user.get_full_name() or user.email


def list_accesses(business: Business, *, at: datetime) -> list[GivenAccess]:
    """Return the accesses to a business, also the ended ones, the newest invitation first.

    An invitation by email is not listed before it is accepted: its owner must not learn from it
    whether an accountant has the address.
    A look is an answered request for data; lists of an accountant's clients do not count. It takes
    one statement.
    """
    lists = [tool.name for tool in TOOLS.values() if tool.scope == Scope.CLIENTS]
    lists += [OPEN_CLIENTS, ACCEPT_INVITATION]
    looks = AccessLogEntry.objects.filter(
        business=OuterRef("business"),
        connection__user=OuterRef("accountant__user"),
        outcome=ANSWERED,
    ).exclude(tool__in=lists)
    found = (
        ClientAccess.objects.filter(business=business)
        .exclude(invitation__isnull=False, granted_at=None)
        .select_related("accountant__user")
        .annotate(looked_at=Subquery(looks.order_by("-at", "-id").values("at")[:1]))
        .order_by("-invited_at", "-pk")
    )
    return [
        GivenAccess(access, access.status_at(at), access.ended_at(at), access.looked_at)
        for access in found
    ]
