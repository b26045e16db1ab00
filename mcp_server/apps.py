"""The assistant tool server as an app."""

from django.apps import AppConfig

from foundation.modules import import_modules


class McpServerConfig(AppConfig):
    name = "mcp_server"

    def ready(self) -> None:
        """Import the tools, sources of anchors and signal receivers, which register themselves."""
        from mcp_server.queries import anchored_access_log  # noqa: F401 - registers its source
        from mcp_server.services import leaving  # noqa: F401 - registers its receiver

        import_modules("mcp_server.tools")
