"""Parse external ids, the only ids that callers ever see."""

from uuid import UUID

MAX_LENGTH = 36
NOBODY = UUID(int=0)


def parse(text: str | UUID) -> UUID:
    """Return the id that a text spells; for any other text `NOBODY`, which no row has."""
    if isinstance(text, UUID):
        return text
    if len(text) > MAX_LENGTH:  # Python would take braces and dashes without end
        return NOBODY
    try:
        return UUID(text)
    except ValueError:
        return NOBODY
