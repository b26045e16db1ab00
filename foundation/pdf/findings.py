"""Findings: why a PDF file is not harmless."""

from enum import StrEnum


class Finding(StrEnum):
    """A reason to refuse a PDF file."""

    SCRIPT = "SCRIPT"  # more than arithmetic and formats of form fields
    START = "START"  # starts a program, or leads to another place without a click
    FILES = "FILES"  # has files attached
    OUTSIDE = "OUTSIDE"  # shows the content of other files
    MEDIA = "MEDIA"  # plays video, sound or 3D
    PASSWORD = "PASSWORD"  # noqa: S105 - no password; the file asks for one
    DAMAGED = "DAMAGED"  # not readable
    SLOW = "SLOW"  # needs more time or memory than the child process may use
