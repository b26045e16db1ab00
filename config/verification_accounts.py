"""The accounts of verification providers, read from the environment."""

from typing import Any

from config import env


def read_accounts() -> list[dict[str, Any]]:
    """Return the accounts of VERIFICATION_PROVIDERS; the system checks report faulty settings."""
    return [_read(name) for name in env.words("VERIFICATION_PROVIDERS")]


def _read(name: str) -> dict[str, Any]:
    prefix = f"VERIFICATION_{name.upper()}"
    return {
        "name": name,
        "adapter": env.text(f"{prefix}_ADAPTER", "https"),
        "url": env.text(f"{prefix}_URL").rstrip("/"),
        "token": env.private_text(f"{prefix}_TOKEN"),
        "secret": env.private_text(f"{prefix}_SECRET"),
        "kinds": tuple(env.words(f"{prefix}_CHECKS")),
    }
