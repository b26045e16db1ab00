"""Production secrets: `python -m config.production_secrets` prints new ones, one per line.

All programs of a deployment share one set: run it once, and keep the lines in escrow.
"""

import secrets
import sys
from datetime import UTC, datetime


def lines(*, year: int) -> list[str]:
    """Return an assignment per secret. The ids of both keyrings are the year."""
    random = dict.fromkeys(["SECRET_KEY", "API_KEY_PEPPER", "LINK_KEY", "STATUS_TOKEN"], "")
    keyrings = dict.fromkeys(["PII_KEYS", "PII_INDEX_KEYS"], f"{year}:")
    named = {**random, **keyrings}
    return [f"{name}={prefix}{secrets.token_hex(32)}" for name, prefix in named.items()]


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines(year=datetime.now(UTC).year))
