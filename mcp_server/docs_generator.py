"""The reference of the tools, docs/tools.md: written from the catalogue, never by hand."""

from collections.abc import Iterator
from itertools import groupby

from mcp_server import json_schemas
from mcp_server.json_schemas import Schema
from mcp_server.registry import TOOLS, Tool

HEAD = """\
# Tools

The {count} tools that an assistant can call, {accountants} of them for accountants only. Generated
by `make docs` from the functions in `mcp_server/tools/`; how to connect is in [mcp.md](mcp.md).

Amounts come as `…Cents` (integers) and `…Usd` (decimal strings), dates as `YYYY-MM-DD`, timestamps
in UTC; what is not known is `null`, never missing. Instead of a result there may be
`{{"error": {{"code", "message", "httpStatus"}}}}`. An accountant must pass a client's
`businessUserId`; a business owner leaves it out.
"""


def page() -> str:
    """Return the text of docs/tools.md."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    accountants = sum(tool.is_for_accountants for tool in TOOLS.values())
    yield HEAD.format(count=len(TOOLS), accountants=accountants)
    for module, tools in groupby(TOOLS.values(), key=lambda tool: tool.function.__module__):
        yield f"## {module.rpartition('.')[2].replace('_', ' ').capitalize()}\n"
        for tool in tools:
            yield from _tool(tool)


def _tool(tool: Tool) -> Iterator[str]:
    yield f"### {tool.name}\n"
    yield f"{tool.description}\n"
    scopes = " and ".join(f"`{scope.value}`" for scope in tool.scopes)
    notes = [f"Scope {scopes}."]
    if tool.is_for_accountants:
        notes.append("For accountants only.")
    if tool.is_download:
        notes.append("A file, base64-encoded.")
    yield " ".join(notes) + "\n"
    properties: dict[str, Schema] = tool.input_schema["properties"]
    if properties:
        yield "| parameter | | default |\n|---|---|---|"
        required = tool.input_schema.get("required", [])
        for name, parameter in properties.items():
            yield _parameter(name, parameter, is_required=name in required)
        yield ""
    yield f"Gives {_shape(tool.output_schema['anyOf'][0], tool.output_schema.get('$defs', {}))}\n"


def _parameter(name: str, parameter: Schema, *, is_required: bool) -> str:
    kind = json_schemas.allowed(parameter)
    words = [f"{kind[0].upper()}{kind[1:]}.", parameter.get("description", "")]
    default = "required" if is_required else parameter.get("default", "")
    text = " ".join(filter(None, words)).replace("|", "\\|")
    return f"| `{name}` | {text} | {default if default == 'required' else _code(default)} |"


def _code(value: object) -> str:
    return "" if value == "" else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _shape(part: Schema, definitions: dict[str, Schema]) -> str:
    """Return the names of an object's fields, those of nested objects in braces."""
    return ", ".join(
        f"`{name}`{_nested(field, definitions)}" for name, field in part["properties"].items()
    )


def _nested(field: Schema, definitions: dict[str, Schema]) -> str:
    target = next(_targets(field), None)
    if target is None or "properties" not in definitions[target]:
        return ""
    shape = _shape(definitions[target], definitions)
    return f" [{{{shape}}}]" if field.get("type") == "array" else f" {{{shape}}}"


def _targets(field: Schema) -> Iterator[str]:
    for part in [field, field.get("items", {}), *field.get("anyOf", [])]:
        if "$ref" in part:
            yield part["$ref"].rpartition("/")[2]
