"""What the parts of the bench have in common: how one is run alone, and what servers are told."""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bench.reports import Report
from bench.servers import ROOT


def main(doc: str | None, run: Callable[..., Report], title: str, **numbers: int) -> int:
    """Run a part alone and print its report; `numbers` are options with their defaults."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"({default})")
    sys.stdout.write(run(**vars(parser.parse_args())).text(title))
    return 0


def settle(url: str, folder: Path, **more: str) -> dict[str, str]:
    """Make the secrets; return the environment of every server, which is this process's, too."""
    wanted = {
        "DATABASE_URL": url,
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ENVIRONMENT": "sandbox",
        "ALLOW_LOOPBACK": "1",
        "LOG_LEVEL": "INFO",
        "LOG_FORMAT": "json",
        **more,
    }
    os.environ.update(wanted)
    subprocess.run([sys.executable, "-m", "config.development_secrets"], cwd=ROOT, check=True)
    lines = (folder / "secrets.env").read_text().splitlines()
    return wanted | dict(line.split("=", 1) for line in lines)


def set_up() -> None:
    """Set Django up as the environment says."""
    import django

    django.setup()
