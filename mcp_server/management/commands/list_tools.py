"""Print the catalogue of tools: a line each, or as JSON."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from mcp_server.registry import TOOLS


class Command(BaseCommand):
    help = "Print the assistant tools: a line each, or as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print names, scopes and schemas.")

    def handle(self, *, json: bool, **options: Any) -> None:
        if json:
            self.stdout.write(_json())
        else:
            for tool in TOOLS.values():
                self.stdout.write(f"{tool.name:38}{tool.scope.value:20}{tool.title}")


def _json() -> str:
    catalogue = [
        {
            "name": tool.name,
            "title": tool.title,
            "scope": tool.scope.value,
            "forAccountants": tool.is_for_accountants,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
        }
        for tool in TOOLS.values()
    ]
    return json.dumps(catalogue, indent=2)
