"""Who asks the questions: an owner and an accountant of the demo bank, with all scopes."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils import timezone
from oauth2_provider.models import Application

from banking.choices import AccessLevel
from banking.demo import cast
from banking.models import Accountant, BusinessOwner, ClientAccess, User
from banking.reach import Reach
from bench.question_books import Books
from bench.question_list import Firm
from mcp_server.models import Connection
from mcp_server.registry import TOOLS
from mcp_server.scopes import SENSITIVE, Scope
from mcp_server.services import calls
from mcp_server.services.authentication import Grant


@dataclass(frozen=True)
class Asker:
    """A user with an assistant, the business that is asked about, and the firm's clients."""

    grant: Grant
    books: Books
    firm: Firm

    def ask(self, tool: str, arguments: dict[str, Any]) -> str:
        """Return the text that a tool answers."""
        context = calls.CallContext(self.grant, "questions", timezone.now())
        return calls.call(TOOLS[tool], arguments, context).text


def make_askers(today: date) -> dict[bool, Asker]:
    """Return two askers: the owner under True, the accountant under False."""
    owner = BusinessOwner.objects.select_related("business", "user").get(
        user__email=cast.BUSINESS_USER
    )
    assert owner.user  # noqa: S101 - selected by it
    accountant = Accountant.objects.get(user__email=cast.ACCOUNTANT_USER)
    accesses = list(
        ClientAccess.objects.readable_by(accountant, at=timezone.now()).select_related("business")
    )
    books = {access.business_id: Books(access.business, today) for access in accesses}
    firm = Firm(
        full=[
            books[access.business_id]
            for access in accesses
            if access.level != AccessLevel.STATEMENTS_ONLY
        ],
        all=list(books.values()),
    )
    return {
        True: Asker(_grant(owner.user, owner), Books(owner.business, today), firm),
        False: Asker(_grant(accountant.user), books[owner.business_id], firm),
    }


def _grant(user: User, owner: BusinessOwner | None = None) -> Grant:
    client = Application.objects.create(
        name=f"Questions of {user.pk}",
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris="https://assistant.example.com/callback",
    )
    connection = Connection.objects.create(
        user=user,
        application=client,
        client_name=client.name,
        client_host="assistant.example.com",
        created_at=timezone.now(),
    )
    scopes = frozenset(set(Scope.values) - SENSITIVE)  # as users grant them unless they tick more
    reach = Reach(shows_numbers=False)
    return Grant(user, connection.pk, is_paused=False, scopes=scopes, owner=owner, reach=reach)
