"""Findings: the fact that a part answered, or a fault and how to mend it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Hints = Sequence[tuple[str, str]]  # a part of an error's text, in small letters, and the hint

NETWORK_HINTS: Final[Hints] = [
    ("refused", "Nothing listens there: look at address and port, and start the server."),
    ("certificate", "The certificate is not of this name, or its CA is unknown to this machine."),
    ("wrong_version_number", "The server speaks no TLS at this port."),
    ("record layer", "The server speaks no TLS at this port."),
    ("unexpected_eof", "The server speaks no TLS at this port, or refuses this client."),
    ("timed out", "No answer comes: look at the firewall, and whether the host runs."),
    ("timeout", "No answer comes: look at the firewall, and whether the host runs."),
    ("unreachable", "No network leads there: look at routes and the firewall."),
    ("not known", "The name has no address: look at its spelling and at the DNS."),
    ("no address", "The name has no address: look at its spelling and at the DNS."),
    ("does not resolve", "The name has no address: look at its spelling and at the DNS."),
    ("name resolution", "The name has no address: look at its spelling and at the DNS."),
]
UNKNOWN: Final = "The text is that of the server or library; the log of the server may say more."
MAX_LENGTH: Final = 300


@dataclass(frozen=True)
class Finding:
    """A sentence on a part. `hint` says how to mend a fault, and is empty if there is none."""

    text: str
    hint: str = ""


def fault_of(subject: str, error: BaseException, hints: Hints = ()) -> Finding:
    """Return the fault that an error reports, with the first hint whose text is in the error."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    shown = lines[0].strip().removesuffix(".")[:MAX_LENGTH]
    searched = f"{type(error).__name__} {error}".lower()
    hint = next((hint for part, hint in [*hints, *NETWORK_HINTS] if part in searched), UNKNOWN)
    return Finding(f"{subject}: {shown}.", hint)
