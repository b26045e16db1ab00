"""The project's own settings, with the bare view beside the tool server."""

from config.settings import *  # noqa: F403 - nothing else differs

ROOT_URLCONF = "bench.mcp_peers.urls"
