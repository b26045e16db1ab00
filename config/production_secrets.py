"""Production secrets: `python -m config.production_secrets FOLDER` makes new ones, a file each.

All programs of a deployment share one set: run it once, and keep the files in escrow.
"""

import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path


def make(*, year: int) -> dict[str, str]:
    """Return new random secrets by the names of their settings.

    Each keyring has one key, whose id is the year.
    """
    random = dict.fromkeys(["SECRET_KEY", "API_KEY_PEPPER", "LINK_KEY", "STATUS_TOKEN"], "")
    keyrings = dict.fromkeys(["PII_KEYS", "PII_INDEX_KEYS"], f"{year}:")
    return {name: prefix + secrets.token_hex(32) for name, prefix in {**random, **keyrings}.items()}


def write(folder: Path) -> None:
    """Write new secrets to an existing folder, each to a file that its owner alone can read.

    Raises: FileExistsError, before anything is written, if the folder has one of the files.
    """
    made = make(year=datetime.now(UTC).year)
    if there := [name for name in made if (folder / name).exists()]:
        raise FileExistsError(f"{folder} already has {', '.join(there)}.")
    for name, value in made.items():
        file = folder / name
        file.touch(mode=0o600)
        file.write_text(f"{value}\n")
        file.chmod(0o400)


if __name__ == "__main__":
    try:
        write(Path(sys.argv[1]))
    except FileExistsError as exc:
        sys.exit(str(exc))
