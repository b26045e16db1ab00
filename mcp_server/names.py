"""Names of counterparties: hidden in answers if the user lets an assistant read no names.

A field of a result that may hold such a name is marked with `NAME` where it is declared. Files are
not looked into: tools whose files hold names are refused instead (`limits`).
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, get_args

from pydantic.alias_generators import to_camel

from mcp_server.schema import NAME, Result

HIDDEN = "(hidden)"
Paths = Mapping[str, "Paths | None"]  # wire name: None to hide, or what is hidden inside


def hide(payload: dict[str, Any], shape: type[Result]) -> None:
    """Replace the names in `payload`, the JSON object of a result of the class `shape`.

    A text becomes HIDDEN, a list becomes empty, and any other value null.
    """
    _hide(payload, _paths(shape))


def _hide(value: Any, paths: Paths) -> None:
    if isinstance(value, list):
        for item in value:
            _hide(item, paths)
    elif isinstance(value, dict):
        for name, inner in paths.items():
            if inner is None:
                value[name] = _hidden(value.get(name))
            else:
                _hide(value.get(name), inner)


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        return HIDDEN
    return [] if isinstance(value, list) else None


@cache
def _paths(shape: type[Result]) -> Paths:
    """Return the marked fields of a result, and of the results in it."""
    found: dict[str, Paths | None] = {}
    for name, field in shape.model_fields.items():
        if NAME in field.metadata:
            found[to_camel(name)] = None
            continue
        for inner in _results_in(field.annotation):
            if paths := _paths(inner):
                found[to_camel(name)] = paths
    return found


def _results_in(annotation: Any) -> list[type[Result]]:
    if isinstance(annotation, type) and issubclass(annotation, Result):
        return [annotation]
    return [inner for part in get_args(annotation) for inner in _results_in(part)]
