"""The assistant tool server as an app."""

from django.apps import AppConfig


class McpServerConfig(AppConfig):
    name = "mcp_server"
