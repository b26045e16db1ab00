"""The reference of the record feed's kinds in docs/core-integration.md, made from schemas."""

from collections.abc import Iterator
from typing import Any

from banking.feed.reading import json_schema
from banking.feed.registry import KINDS
from onboarding.docs_sections import replace_section


def reference() -> str:
    """Return the reference as Markdown: the kinds with their scopes, then the fields of each."""
    return "\n".join(_lines())


def replace_reference(page: str) -> str:
    """Return a page with the reference between its markers replaced."""
    return replace_section(page, "record kinds", reference())


def _lines() -> Iterator[str]:
    yield "| kind | scopes | shows in |"
    yield "|---|---|---|"
    for name, kind in sorted(KINDS.items()):
        shows = ", ".join(f"`{place}`" for place in kind.shows)
        yield f"| [`{name}`](#{name}) | `{name}:write`, `{name}:read` | {shows} |"
    for name in sorted(KINDS):
        yield from _fields(name)


def _fields(name: str) -> Iterator[str]:
    schema = json_schema(name)
    yield f"\n### {name}\n"
    yield schema["description"] + "\n"
    yield "| field | type | |"
    yield "|---|---|---|"
    yield from _rows(schema, schema.get("$defs", {}), prefix="")


def _rows(schema: dict[str, Any], definitions: dict[str, Any], prefix: str) -> Iterator[str]:
    required = schema.get("required", [])
    for field, part in schema["properties"].items():
        notes = ["required" if field in required else "", part.get("description", "")]
        note = "; ".join(filter(None, notes))
        yield f"| `{prefix}{field}` | {_type(part, definitions)} |{f' {note} ' if note else ' '}|"
        for inner in _objects(part, definitions):
            yield from _rows(inner, definitions, prefix=f"{prefix}{field}.")


def _objects(part: dict[str, Any], definitions: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schemas of the objects that a field may hold."""
    for one in [part, part.get("items", {}), *part.get("anyOf", [])]:
        found = _resolved(one, definitions)
        if "properties" in found:
            yield found


def _type(part: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "anyOf" in part:
        return " or ".join(_type(one, definitions) for one in part["anyOf"])
    found = _resolved(part, definitions)
    if "x-kind" in found:
        return f"id in `{found['x-kind']}`"
    if "enum" in found:
        return ", ".join(f"`{value}`" for value in found["enum"])
    if "const" in found:
        return f"`{found['const']}`"
    if found.get("type") == "array":
        return f"list of {_type(found['items'], definitions)}"
    return str(found.get("format") or found.get("type", "text")).replace("string", "text")


def _resolved(part: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    name = part.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = definitions[name] if name else part
    return found
