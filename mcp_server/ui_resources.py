"""UI resources: pages that a client shows beside a tool's answer (the extension MCP Apps).

A page is one HTML file without references to anything else. The client shows it in a sandboxed
frame and sends it the arguments and the answer of each call; the page holds no data of the bank.
"""

from functools import cache
from typing import Any

import mcp_types as types
from django.template.loader import render_to_string

MIME_TYPE = "text/html;profile=mcp-app"
CASH_FLOW = "ui://vestibule/cash-flow"  # clients know the URI, which is older than the title

RESOURCES = {
    CASH_FLOW: types.Resource(
        uri=CASH_FLOW,
        name="cash_flow",
        title="Income, expenses and profit",
        description="A chart of income, expenses or profit, by day or month.",
        mime_type=MIME_TYPE,
    )
}
TEMPLATES = {CASH_FLOW: "mcp_server/cash_flow_app.html"}
FRAME = {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True}


def listed() -> list[types.Resource]:
    """Return the pages as the list of resources describes them."""
    return list(RESOURCES.values())


@cache
def contents(uri: str) -> types.TextResourceContents:
    """Return the page with this URI. Raises: KeyError if no page has it."""
    html = render_to_string(TEMPLATES[uri])
    return types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=html, _meta={"ui": FRAME})


def tool_meta(uri: str) -> dict[str, Any]:
    """Return the metadata of a tool whose answers a page shows."""
    return {"ui": {"resourceUri": uri}}
