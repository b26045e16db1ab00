"""Digests of released migrations: a database may have run them, so they never change.

`python -m tests.released_migrations` adds the others as those of the version in pyproject.toml:
a step of a release, `docs/releasing.md`.
"""

import hashlib
import json
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "released_migrations.json"


def read() -> dict[str, dict[str, str]]:
    """Return the SHA-256 digests of the files that each release added, by release and path."""
    return json.loads(LIST.read_text()) if LIST.exists() else {}


def released() -> dict[str, str]:
    """Return the digests of all released migrations by path."""
    return {path: digest for files in read().values() for path, digest in files.items()}


def present() -> dict[str, str]:
    """Return the digests of the migrations of the working tree by path."""
    return {
        str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(ROOT.glob("*/migrations/[0-9]*.py"))
    }


def unreleased(paths: Iterable[str]) -> list[str]:
    """Return those of the paths that are migrations of ours and of no release."""
    return sorted(present().keys() & set(paths) - released().keys())


def file_of(migration) -> str:
    """Return the path of a migration, from the root of the project."""
    path = Path(sys.modules[type(migration).__module__].__file__)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def version() -> str:
    """Return the version in pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def freeze() -> int:
    """Write the unreleased migrations down as those of this version; return their number."""
    releases, digests = read(), present()
    added = unreleased(digests)
    releases.setdefault(version(), {}).update((path, digests[path]) for path in added)
    LIST.write_text(json.dumps(releases, indent=2) + "\n")
    return len(added)


if __name__ == "__main__":
    print(f"{freeze()} migrations are those of {version()} now.")  # noqa: T201 - the report
