"""Check of this machine: the folder of the programs' data, its space, and static files."""

import shutil
import tempfile
from collections.abc import Iterator
from typing import Final

from django.conf import settings

from config.connection_checks.findings import Finding, fault_of

LEAST_BYTES: Final = 2 * 1024**3  # uploads of a web process may take more
MANIFEST: Final = "staticfiles.json"


def check() -> Iterator[Finding]:
    """Yield the findings of DATA_DIR, its free space, and the static files.

    A machine with an ANCHOR_KEY_FILE runs workers, not web, and needs no static files.
    """
    folder = settings.DATA_DIR
    try:
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as exc:
        hints = [("", "Make DATA_DIR, give it to the programs' user; ReadWritePaths of the unit.")]
        yield fault_of("DATA_DIR", exc, hints)
        return
    if free < LEAST_BYTES:
        hint = "Make room: without it no upload is taken."
        yield Finding(f"{folder} has {free / 1024**2:,.0f} MiB left.", hint)
    else:
        yield Finding(f"{folder} can be written and has {free / 1024**3:,.0f} GiB left.")
    if not settings.ANCHOR_KEY_FILE and not (settings.STATIC_ROOT / MANIFEST).exists():
        hint = "Run `manage.py collectstatic --noinput` on each machine with web."
        yield Finding("There are no static files: web shows no page.", hint)
