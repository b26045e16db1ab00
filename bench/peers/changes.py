"""How a repeated create and an update change what is stored, for the peers that keep objects."""

from collections.abc import Mapping
from typing import Any

MERGED_BY_KEY = {"business_address", "mailing_address", "address", "details"}
WIRE_NAMES = {"edd_answers": "eddQuestionData", "owners": "uboList", "details": "metadata"}


def merge(person: Any, values: Mapping[str, Any]) -> list[str]:
    """Set what was sent on a stored person; return the names of what changed."""
    changed = []
    for name, value in values.items():
        stored = getattr(person, name)
        if name in MERGED_BY_KEY:
            value = {**stored, **value}
            value = {key: item for key, item in value.items() if item is not None}
        if stored != value:
            setattr(person, name, value)
            changed.append(name)
    return changed


def wire(name: str) -> str:
    """Return the name that a request has for a value."""
    first, *others = name.split("_")
    return WIRE_NAMES.get(name) or first + "".join(map(str.title, others))
