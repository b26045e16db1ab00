"""Mask personal numbers and email addresses."""

SHOWN = 4


def last_four(text: str) -> str:
    """Return the last four characters, or an empty text if they are half of the number or more."""
    return text[-SHOWN:] if len(text) > 2 * SHOWN else ""


def mask(text: str) -> str:
    """Return bullets and the last four characters of a text, as `last_four` returns them.

    An empty text stays empty.
    """
    return f"••••{last_four(text)}" if text else ""


def mask_email(address: str) -> str:
    """Return the first character of an email address, bullets and the domain."""
    name, at, domain = address.partition("@")
    return f"{name[:1]}••••{at}{domain}"
