"""The assistant tool server as an app."""

from django.apps import AppConfig

from foundation.modules import import_modules


class McpServerConfig(AppConfig):
    name = "mcp_server"

    def ready(self) -> None:
        """Put every tool into the catalogue."""
        import_modules("mcp_server.tools")
