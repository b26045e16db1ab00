"""Development secrets: `python -m config.development_secrets` writes the file if missing."""

import os
import secrets
from pathlib import Path

from config import folders


def write(path: Path) -> None:
    """Write one new secret per line, readable by the owner only. Keeps an existing file."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "w") as file:
        file.writelines(f"{name}={value}\n" for name, value in _fresh().items())


def _fresh() -> dict[str, str]:
    return {
        "SECRET_KEY": f"development-{secrets.token_urlsafe(48)}",
        "API_KEY_PEPPER": f"development-{secrets.token_urlsafe(32)}",
        "LINK_KEY": f"development-{secrets.token_urlsafe(32)}",
        "PII_KEYS": f"development1:{secrets.token_hex(32)}",
        "PII_INDEX_KEYS": f":development-{secrets.token_urlsafe(32)}",
    }


if __name__ == "__main__":
    write(folders.data() / "secrets.env")
