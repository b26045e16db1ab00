"""The files under docs/ that are written from the code: `python -m tests.generated_docs`.

It says which of them the code would write otherwise; with `--write` it writes them.
"""

import difflib
import io
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Write the files, or print how they would change, and return the exit status."""
    stale = {path: text for path, text in generate().items() if text != path.read_text()}
    if "--write" in sys.argv[1:]:
        for path, text in stale.items():
            path.write_text(text)
        return 0
    for path, text in stale.items():
        before, after = path.read_text().splitlines(), text.splitlines()
        name = str(path.relative_to(ROOT))
        print(*difflib.unified_diff(before, after, name, "the code", lineterm=""), sep="\n")  # noqa: T201 - the report
        print(f"{name} is stale. Run: make docs", file=sys.stderr)  # noqa: T201 - as above
    return int(bool(stale))


def generate() -> dict[Path, str]:
    """Return what each file should be."""
    from mcp_server import docs_generator
    from onboarding import event_table, record_kinds_table, role_table

    sections = {
        "back-office.md": role_table.replace_table,
        "webhooks.md": event_table.replace_table,
        "core-integration.md": record_kinds_table.replace_reference,
    }
    return {
        ROOT / "docs" / "openapi.yaml": _schema(),
        ROOT / "docs" / "tools.md": docs_generator.page(),
        **{(page := ROOT / "docs" / name): do(page.read_text()) for name, do in sections.items()},
    }


def _schema() -> str:
    """Return the OpenAPI schema. Raises: SchemaGenerationError or CommandError, at a warning."""
    from django.core.management import call_command

    written = io.StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=written)
    return written.getvalue()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    import django

    django.setup()
    sys.exit(main())
