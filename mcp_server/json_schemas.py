"""JSON schemas of the parameters and results of tools, and their limits in words."""

from collections.abc import Iterator
from typing import Any

from mcp_server.schema import Params, Result

Schema = dict[str, Any]

REMARK = "remark"  # told of a list that was shortened


def input_schema(model: type[Params]) -> Schema:
    """Return the JSON schema of parameters. Optional parameters do not allow null.

    References are resolved, because some clients do not follow them.
    """
    schema: Schema = plain(model.model_json_schema(), may_be_null=False)
    definitions = schema.pop("$defs", {})
    properties = schema.get("properties", {})
    return schema | {
        "properties": {name: _resolved(part, definitions) for name, part in properties.items()}
    }


def output_schema(model: type[Result]) -> Schema:
    """Return the JSON schema of a result, or of the error that may come instead.

    Clients of some makes check errors against it, too. A result with a list may have a remark.
    """
    schema: Schema = plain(model.model_json_schema(mode="serialization"), may_be_null=True)
    if any(part.get("type") == "array" for part in schema["properties"].values()):
        schema["properties"][REMARK] = {"type": "string"}
    definitions = schema.pop("$defs", {})
    failure = {"properties": {"error": {"type": "object"}}, "required": ["error"]}
    either: Schema = {"type": "object", "anyOf": [schema, failure]}
    return either | ({"$defs": definitions} if definitions else {})


def plain(schema: Schema, *, may_be_null: bool) -> Schema:
    """Return a schema without generated titles and docstrings, "X or null" folded into X.

    That of a result (`may_be_null`) has no defaults either: nothing is left out.
    """
    parts: Schema = {}
    for key, value in schema.items():
        if key in {"properties", "$defs"}:
            parts[key] = {
                name: plain(
                    {**part, "description": None} if key == "$defs" else part,
                    may_be_null=may_be_null,
                )
                for name, part in value.items()
            }
        elif key == "anyOf":
            parts[key] = [plain(part, may_be_null=may_be_null) for part in value]
        elif key in {"items", "additionalProperties"} and isinstance(value, dict):
            parts[key] = plain(value, may_be_null=may_be_null)
        elif not (_is_noise(schema, key) or (key == "default" and may_be_null)):
            parts[key] = value
    return _folded(parts, may_be_null=may_be_null) if "anyOf" in parts else parts


def allowed(schema: Schema) -> str:
    """Describe the allowed values of a parameter's schema in words."""
    if "enum" in schema:
        return "one of " + ", ".join(schema["enum"])
    kind: str = schema.get("type", "")
    words = {
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "string": "a text",
    }
    if schema.get("format") == "date":
        return "a date from 1900-01-01 to 2999-12-31, as YYYY-MM-DD"
    return words.get(kind, "a value") + "".join(_bounds(schema))


def _bounds(schema: Schema) -> Iterator[str]:
    if "minimum" in schema and "maximum" in schema:
        yield f" from {schema['minimum']:.0f} to {schema['maximum']:.0f}"
    if "pattern" in schema:
        yield f" like {schema['pattern']}"
    if "maxLength" in schema:
        yield f" of at most {schema['maxLength']} characters"


def _is_noise(schema: Schema, key: str) -> bool:
    """Return whether a keyword tells an assistant nothing; docstrings are for readers of code.

    Docstrings are the descriptions of models and, blanked by `plain`, of definitions.
    """
    return (
        key == "title"
        or (key in {"default", "description"} and schema[key] is None)
        or (key == "description" and "properties" in schema)
    )


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    """Return a schema with its references replaced by their definitions."""
    target = schema.get("$ref", "").removeprefix("#/$defs/")
    own = {key: value for key, value in schema.items() if key != "$ref"}
    return {**definitions.get(target, {}), **own}


def _folded(schema: Schema, *, may_be_null: bool) -> Schema:
    others = [option for option in schema["anyOf"] if option != {"type": "null"}]
    if len(others) != 1 or len(others) == len(schema["anyOf"]):
        return schema
    folded: Schema = others[0] | {key: schema[key] for key in schema if key != "anyOf"}
    if not may_be_null:
        return folded
    if "type" not in folded:  # a reference: nothing can be added to it
        return schema
    return folded | {"type": [folded["type"], "null"]}
