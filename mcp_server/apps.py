"""The assistant tool server as an app."""

import pkgutil
from importlib import import_module

from django.apps import AppConfig


class McpServerConfig(AppConfig):
    name = "mcp_server"

    def ready(self) -> None:
        """Put every tool into the catalogue."""
        from mcp_server import tools

        for module in sorted(module.name for module in pkgutil.iter_modules(tools.__path__)):
            import_module(f"{tools.__name__}.{module}")
