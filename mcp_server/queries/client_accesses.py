"""Accesses of firms of accountants to a business, with their people and their last look."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Prefetch, Subquery

from banking.choices import AccessStatus
from banking.models import Accountant, Business, ClientAccess
from mcp_server.models import ACCEPT_INVITATION, ANSWERED, OPEN_CLIENTS, AccessLogEntry
from mcp_server.registry import TOOLS
from mcp_server.scopes import Scope


@dataclass(frozen=True)
class GivenAccess:
    """A firm's access to a business, with the names of everybody who may sign in for the firm.

    `last_looked_at` is None before the first look of anybody of the firm.
    """

    access: ClientAccess
    status: AccessStatus
    ended_at: datetime | None
    people: list[str]
    last_looked_at: datetime | None
    last_looked_by: str

    @property
    def name(self) -> str:
        """Return the name of the firm."""
        return self.access.firm.name


def list_accesses(business: Business, *, at: datetime) -> list[GivenAccess]:
    """Return the accesses to a business, also the ended ones, the newest invitation first.

    An invitation by email is not listed before it is accepted: the owner who sent it must not learn
    whether an accountant has the address.
    A look is an answered request for data; lists of an accountant's clients do not count, nor do
    looks of people who have left. It takes two statements.
    """
    lists = [tool.name for tool in TOOLS.values() if tool.scope == Scope.CLIENTS]
    lists += [OPEN_CLIENTS, ACCEPT_INVITATION]
    looks = AccessLogEntry.objects.filter(
        business=OuterRef("business"),
        connection__user__accountant__firm=OuterRef("firm"),
        outcome=ANSWERED,
    ).exclude(tool__in=lists)
    last = looks.order_by("-at", "-id")
    people = Accountant.objects.filter(user__is_active=True).select_related("user").order_by("pk")
    found = (
        ClientAccess.objects.filter(business=business)
        .exclude(invitation__isnull=False, granted_at=None)
        .select_related("firm")
        .prefetch_related(Prefetch("firm__people", people))
        .annotate(looked_at=Subquery(last.values("at")[:1]))
        .annotate(looked_by=Subquery(last.values("connection__user")[:1]))
        .order_by("-invited_at", "-pk")
    )
    return [_given(access, at=at) for access in found]


def _given(access: ClientAccess, *, at: datetime) -> GivenAccess:
    users = [person.user for person in access.firm.people.all()]
    names = {user.pk: user.get_full_name() or user.email for user in users}
    looked_at, looked_by = vars(access)["looked_at"], vars(access)["looked_by"]
    return GivenAccess(
        access=access,
        status=access.status_at(at),
        ended_at=access.ended_at(at),
        people=[*names.values()],
        last_looked_at=looked_at,
        last_looked_by=names.get(looked_by, ""),
    )
