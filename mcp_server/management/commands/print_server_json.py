"""Print server.json, by which the bank's server is listed in a registry of MCP servers."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
DESCRIPTION = "Business accounts, invoices, bills, taxes and statements, to be read only."  # <= 100


class Command(BaseCommand):
    help = "Print server.json, by which this server is listed in a registry of MCP servers."

    def handle(self, **options: Any) -> None:
        address = urlsplit(settings.MCP_URL)
        host = address.hostname or ""
        if address.scheme != "https" or "." not in host:
            raise CommandError(
                f"{settings.MCP_URL} is no public address. Set BASE_URL to the https address of "
                "the server."
            )
        entry = {
            "$schema": SCHEMA,
            "name": f"{'.'.join(reversed(host.split('.')))}/banking",
            "title": settings.BANK_NAME[:100],
            "description": DESCRIPTION,
            "version": settings.API_VERSION,
            "remotes": [{"type": "streamable-http", "url": settings.MCP_URL}],
        }
        self.stdout.write(json.dumps(entry, indent=2))
