"""Texts that assistants read: JSON, without characters that nobody sees."""

import re
from typing import Any

import orjson

# Characters with which texts of others could steer an assistant or hide from its user: control
# characters, marks that change the direction of a text, and characters without a width.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
BREAKS = re.compile("[\t\n\r\u2028\u2029]+")


def cleaned(value: Any) -> Any:
    """Return a JSON value without invisible characters in its texts; breaks become spaces."""
    if isinstance(value, str):
        return UNSEEN.sub("", BREAKS.sub(" ", value))
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {key: cleaned(item) for key, item in value.items()}
    return value


def rendered(value: Any) -> bytes:
    """Return a value as JSON; timestamps are in UTC with a Z, without fractions of a second.

    Raises: TypeError for values that JSON does not have.
    """
    return orjson.dumps(value, option=orjson.OPT_UTC_Z | orjson.OPT_OMIT_MICROSECONDS)


def is_clean(text: str) -> bool:
    """Return whether a JSON text certainly has no invisible characters; most texts are ASCII."""
    return text.isascii() and "\\" not in text and "\x7f" not in text
