"""The SDK's own server as an oracle: the same message gets the same answer from both.

Both know the same tools, and a call is answered with the same words; all the rest (negotiation,
validation, errors, what each version's answers look like, HTTP statuses) is each one's own.
"""

import mcp_types as types
import pytest
from mcp.server.lowlevel import Server
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS
from starlette.testclient import TestClient

from mcp_server import prompts, protocol, ui_resources
from mcp_server.registry import offered
from mcp_server.services import calls
from tests.mcp_server.conftest import connect

MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "oracle", "version": "1"},
}
ANSWER = calls.Answer({"cards": [], "totalCount": 0}, '{"cards":[],"totalCount":0}')
REFUSAL = calls.Answer({"error": {"code": "NOT_FOUND"}}, '{"error":{"code":"NOT_FOUND"}}', True)


def hello(version):
    client = {"name": "oracle", "version": "1"}
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": client}


MESSAGES = {
    "ping": ("ping", {}),
    **{f"hello {version}": ("initialize", hello(version)) for version in KNOWN_PROTOCOL_VERSIONS},
    "hello from the future": ("initialize", hello("2099-01-01")),
    "hello without anything": ("initialize", {}),
    "list": ("tools/list", {}),
    "list from a cursor": ("tools/list", {"cursor": "x"}),
    "list from no cursor": ("tools/list", {"cursor": 7}),
    "discover": ("server/discover", {}),
    "call": ("tools/call", {"name": "svc_list_cards"}),
    "call with arguments": ("tools/call", {"name": "svc_list_cards", "arguments": {"page": 1}}),
    "call that is refused": (
        "tools/call",
        {"name": "svc_get_secured_card_details", "arguments": {}},
    ),
    "call of nothing": ("tools/call", {"arguments": {}}),
    "call of a number": ("tools/call", {"name": 5}),
    "call with a list": ("tools/call", {"name": "svc_list_cards", "arguments": []}),
    "prompts": ("prompts/list", {}),
    "prompt": ("prompts/get", {"name": "month_in_review", "arguments": {"month": "2026-10"}}),
    "prompt without its name": ("prompts/get", {}),
    "prompt with a number": ("prompts/get", {"name": "close_checklist", "arguments": {"month": 7}}),
    "resources": ("resources/list", {}),
    "resource templates": ("resources/templates/list", {}),
    "a resource": ("resources/read", {"uri": ui_resources.CASH_FLOW}),
    "a resource without its URI": ("resources/read", {}),
    "subscription": ("resources/subscribe", {"uri": ui_resources.CASH_FLOW}),
    "completion": ("completion/complete", {}),
    "log level": ("logging/setLevel", {"level": "info"}),
    "an invention": ("x/y", {}),
    "no method at all": ("", {}),
}


def wire(answer):
    return types.CallToolResult(
        content=[types.TextContent(text=answer.text)],
        structured_content=answer.payload,
        is_error=answer.is_error,
    )


async def list_tools(context, _params):
    describe = protocol._description  # noqa: SLF001 - what is compared is its frame
    tools = [describe(tool, context.protocol_version) for tool in offered(to_accountants=False)]
    return types.ListToolsResult(tools=tools, **protocol.CACHED)


async def call_tool(_context, params):
    return wire(REFUSAL if params.name == "svc_get_secured_card_details" else ANSWER)


async def list_prompts(_context, _params):
    return types.ListPromptsResult(prompts=prompts.listed(is_accountant=False))


async def get_prompt(_context, params):
    prompt = prompts.PROMPTS[params.name]
    text = prompt.filled(params.arguments or {}, is_accountant=False)
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=prompt.description, messages=[message])


async def list_resources(_context, _params):
    return types.ListResourcesResult(resources=ui_resources.listed())


async def list_templates(_context, _params):
    return types.ListResourceTemplatesResult(resource_templates=[])


async def read_resource(_context, params):
    return types.ReadResourceResult(contents=[ui_resources.contents(str(params.uri))])


@pytest.fixture(scope="module")
def oracle():
    info = protocol._server()  # noqa: SLF001 - its name is ours
    server = Server(
        info.name,
        version=info.version,
        title=info.title,
        instructions=protocol.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        yield client


@pytest.fixture
def ours(owner, monkeypatch):
    def answer(tool, arguments, context):
        return REFUSAL if tool.name == "svc_get_secured_card_details" else ANSWER

    monkeypatch.setattr(calls, "call", answer)
    return connect(owner)


def headers(version, method, params):
    sent = {"mcp-protocol-version": version}
    if version == MODERN:
        sent |= {"mcp-method": method, "mcp-name": params.get("name", params.get("uri"))}
    return {name: str(value) for name, value in sent.items() if value is not None}


def comparable(status, body):
    """Leave out what is each one's own: hints, and the data of errors."""
    body.get("error", {}).pop("data", None)
    result = body.get("result", {})
    for extra in ("ttlMs", "cacheScope"):
        result.pop(extra, None)
    return status, body


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("version", [None, *KNOWN_PROTOCOL_VERSIONS])
def test_both_give_the_same_answer(oracle, ours, version, name):
    method, params = MESSAGES[name]
    if version == MODERN:
        params = {**params, "_meta": ENVELOPE}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    sent = {"accept": "application/json, text/event-stream", **headers(version, method, params)}

    theirs = oracle.post("/mcp", json=body, headers=sent)
    answer = ours.post(body, version=None, **sent)

    assert comparable(answer.status_code, answer.json()) == comparable(
        theirs.status_code, theirs.json()
    )
