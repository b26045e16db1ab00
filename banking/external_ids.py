"""External ids: the only ids that leave the house, as they come back in."""

from uuid import UUID

LONGEST = 36


def parse(text: str | UUID) -> UUID | None:
    """Return the id that a text spells; None, which no row has, for any other text."""
    if isinstance(text, UUID):
        return text
    if len(text) > LONGEST:  # Python would take braces and dashes without end
        return None
    try:
        return UUID(text)
    except ValueError:
        return None
