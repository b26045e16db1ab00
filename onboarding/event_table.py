"""The table of events in docs/webhooks.md, generated from the event types."""

from collections.abc import Iterator

from onboarding.docs_sections import replace_section
from onboarding.event_types import PUBLISHED, TEST_EVENT, EventSpec
from onboarding.names import wire


def table() -> str:
    """Return the table of published event types in Markdown."""
    return "\n".join(_rows())


def replace_table(page: str) -> str:
    """Return a page with the table between its markers replaced."""
    return replace_section(page, "events", table())


def _rows() -> Iterator[str]:
    yield "| type | `action` | also in `data` |"
    yield "|---|---|---|"
    for event_type in PUBLISHED:
        spec = event_type.spec
        details = ", ".join(f"`{wire(name)}`" for name in spec.details)
        cells = [f"`{event_type.value}`", _actions(spec), details]
        yield "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)
    yield f"| `{TEST_EVENT}` | | `data` is empty, and there is no `sequence` |"


def _actions(spec: EventSpec) -> str:
    usual = f"`{spec.action}`" if spec.action else ""
    return ", ".join(filter(None, [usual, spec.documentation.format(f"`{spec.other_action}`")]))
