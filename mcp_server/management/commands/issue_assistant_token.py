"""Print an access token for a user's data, to try the tools in the sandbox."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from banking.models import User
from mcp_server.oauth.consent import offered_to
from mcp_server.scopes import SENSITIVE, Scope
from mcp_server.services import connections


class Command(BaseCommand):
    help = "Print an access token, in the sandbox: TOKEN=$(manage.py issue_assistant_token …)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", required=True, metavar="EMAIL", help="Whose data it reads.")
        parser.add_argument(
            "--scopes", default="", help=f"What of it (all but full numbers): {_known()}."
        )
        parser.add_argument("--client", default="curl", metavar="NAME", help="What it is called.")

    def handle(self, *, user: str, scopes: str, client: str, **options: Any) -> None:
        if not settings.IS_SANDBOX:
            raise CommandError("Tokens are issued like this in the sandbox only.")
        holder = User.objects.filter(email=user.strip().lower(), is_active=True).first()
        if holder is None:
            raise CommandError("There is no such user.")
        wanted = scopes.split() or [
            scope.value for scope in offered_to(holder) if scope not in SENSITIVE
        ]
        if unknown := sorted(set(wanted) - set(Scope.values)):
            raise CommandError(f"--scopes: {' '.join(unknown)} is none of {_known()}.")
        try:
            token = connections.issue_token(
                holder, client_name=client, scopes=wanted, at=timezone.now()
            )
        except connections.NotForStaff as exc:
            raise CommandError(f"{exc}.") from None
        self.stdout.write(token)
        self.stderr.write(
            f"It reads {' '.join(wanted)} for an hour:\n"
            f'curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" '
            f'-d \'{{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}\' {settings.MCP_URL}'
        )


def _known() -> str:
    return " ".join(Scope.values)
