"""Follow docs/production.md on eleven machines, and end each part once: `make trial`.

The machines are network namespaces with copies of this machine's files in memory, below one
process; when it ends, for whatever reason, nothing of them is left. It needs root on Linux.
`--write docs/reliability.md` puts the figures into that page; `--keep` waits before the end.

The exit status is 1 if a step failed, if anything was lost, or if a request failed while no part
was ended or in the rolling restart; 2 if the trial cannot be run here.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from bench.servers import ROOT
from config import processes

NEEDED = [
    "ip",
    "nsenter",
    "unshare",
    "haproxy",
    "nginx",
    "redis-server",
    "clamd",
    "openssl",
    "psql",
]
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
INSIDE = "VESTIBULE_TRIAL_FOLDER"
NOT_RUN = 2  # exit status


def main() -> None:
    """Run the trial in namespaces of its own, or say why it cannot be run here."""
    options = read_options()
    if reason := why_not():
        print(f"The trial cannot be run here: {reason}.")  # noqa: T201 - a bench talks
        sys.exit(NOT_RUN)
    if INSIDE in os.environ:
        from bench.trial import course  # needs the namespaces

        folder = Path(os.environ[INSIDE])
        sys.exit(course.run_and_explain(folder, page=options.write, keep=options.keep))
    with tempfile.TemporaryDirectory(prefix="vestibule-trial-") as folder:
        spaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        command = ["unshare", *spaces, sys.executable, "-m", "bench.trial", *sys.argv[1:]]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, INSIDE: folder, "PATH": PATH},
            preexec_fn=partial(processes.end_with, os.getpid()),
        )
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, lambda *_: process.kill())  # the namespaces end with it
        status = process.wait()
    sys.exit(status)


def why_not() -> str:
    """Return why the trial cannot be run on this machine, or nothing."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "it makes network namespaces, which root may do on Linux"
    missing = [name for name in NEEDED if not shutil.which(name, path=PATH)]
    if missing:
        return f"{', '.join(missing)} cannot be found"
    if not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        return "there is no PostgreSQL below /usr/lib/postgresql"
    return ""


def read_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.trial", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    parser.add_argument("--keep", action="store_true", help="wait for Ctrl-C before the end")
    return parser.parse_args()


if __name__ == "__main__":
    main()
