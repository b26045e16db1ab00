"""Mask personal numbers: show their last four characters at most."""

SHOWN = 4


def last_four(text: str) -> str:
    """Return the last four characters, or an empty text if they are half of the number or more."""
    return text[-SHOWN:] if len(text) > 2 * SHOWN else ""


def mask(text: str) -> str:
    """Return bullets and the last four characters; an empty text stays empty."""
    return f"••••{last_four(text)}" if text else ""
