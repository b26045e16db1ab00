"""Refuse passwords from a sorted file of SHA-1 hashes, such as a download of Pwned Passwords."""

import hashlib
import os
import re
from pathlib import Path
from typing import Any, BinaryIO

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

LINE = re.compile(rb"[0-9A-F]{40}(?::\d+)?\s*")
SAMPLES = 100  # positions of the file that `is_sorted_file` compares


class BreachedPasswordValidator:
    """Refuse passwords whose hash is in the file.

    The file may be larger than the memory: each search reads some forty lines. Raises: OSError if
    the file cannot be read, so that no password is accepted without the search.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def validate(self, password: str, user: Any = None) -> None:
        with self.path.open("rb") as file:
            if contains(file, password):
                message = _("This password is known from a data breach. Choose another password.")
                raise ValidationError(message, code="password_breached")

    def get_help_text(self) -> str:
        return _("Your password cannot be a password that is known from a data breach.")


def contains(file: BinaryIO, password: str) -> bool:
    """Return whether the hash of the password is in a sorted file of hashes, by bisection."""
    text = password.encode(errors="replace")
    wanted = hashlib.sha1(text, usedforsecurity=False).hexdigest().upper().encode()
    low, high = 0, file.seek(0, os.SEEK_END)
    while low < high:
        middle = (low + high) // 2
        if _line_after(file, middle)[: len(wanted)] < wanted:
            low = middle + 1
        else:
            high = middle
    return _line_after(file, low).startswith(wanted)


def is_sorted_file(path: Path) -> bool:
    """Return whether the lines at some positions of a file are hashes in ascending order."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        lines = [_line_after(file, size * part // SAMPLES) for part in range(SAMPLES)]
    hashes = [line[:40] for line in lines if line != END]
    is_whole = bool(hashes) and all(LINE.fullmatch(line) for line in lines if line != END)
    return is_whole and hashes == sorted(hashes)


END = b"~"  # sorts after every hexadecimal digit


def _line_after(file: BinaryIO, position: int) -> bytes:
    """Return the first line that begins at the position or later; END after the last line."""
    file.seek(max(position - 1, 0))
    if position:
        file.readline()
    return file.readline() or END
