"""The pgbouncer of this machine; PGBOUNCER names another one."""

import os
import re
import shutil
import subprocess

PGBOUNCER = os.environ.get("PGBOUNCER") or shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
NEEDED = (1, 21)  # the first that keeps prepared statements in transaction mode


def version():
    """Return the version of pgbouncer, or (0, 0) without one."""
    if PGBOUNCER is None:
        return (0, 0)
    shown = subprocess.run([PGBOUNCER, "--version"], capture_output=True, text=True, check=True)
    return tuple(map(int, re.search(r"(\d+)\.(\d+)", shown.stdout).groups()))
