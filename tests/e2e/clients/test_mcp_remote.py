"""`mcp-remote`, by which programs that speak over pipes alone reach a server."""

import anyio
import pytest
from mcp import Client, StdioServerParameters

from mcp_server.registry import offered
from tests.e2e import npm

REMOTE = "mcp-remote@0.15.1"

pytestmark = pytest.mark.one_database


def test_a_bridge_with_a_token_in_its_header(bank, tmp_path):
    bridge = StdioServerParameters(
        command=npm.node(),
        args=[
            str(npm.modules(REMOTE) / "mcp-remote" / "dist" / "proxy.js"),
            bank.facts["MCP_URL"],
            *("--transport", "http-only", "--header", "Authorization:${AUTHORIZATION}"),
        ],
        env={
            "AUTHORIZATION": f"Bearer {bank.facts['TOKEN']}",
            "MCP_REMOTE_CONFIG_DIR": str(tmp_path),
        },
    )

    async def use():
        async with Client(bridge, read_timeout_seconds=120) as client:
            tools = (await client.list_tools()).tools
            return tools, await client.call_tool("svc_get_current_user", {})

    tools, user = anyio.run(use)

    assert [tool.name for tool in tools] == [tool.name for tool in offered(to_accountants=False)]
    assert user.structured_content["email"] == bank.facts["OWNER_EMAIL"]
