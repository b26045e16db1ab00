"""Statements and records: the two files of an anchor, and their bytes.

A record fixes the number and the digest of the rows of one history, or of one range of ids. The
statement names the ranges of rows, the Merkle root of the records and the hash of the statement
before; its bytes are signed.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

FORMAT = "anchor-1"


class Unreadable(ValueError):
    """The bytes are no statement, or no record."""


@dataclass(frozen=True)
class Record:
    """The number of rows of a history or a range of ids, and their digest in hexadecimal."""

    source: str
    name: str
    count: int
    digest: str

    def to_bytes(self) -> bytes:
        """Return the line of the records file, without its end; it is the leaf of the tree."""
        return json.dumps([self.source, self.name, self.count, self.digest]).encode()

    @classmethod
    def from_bytes(cls, line: bytes) -> "Record":
        """Parse a line that `to_bytes` made. Raises: Unreadable."""
        try:
            source, name, count, digest = json.loads(line)
            return cls(str(source), str(name), int(count), str(digest))
        except (ValueError, TypeError) as exc:
            raise Unreadable(str(exc)) from exc


@dataclass(frozen=True)
class Statement:
    """The signed statement of an anchor.

    Shape: `ranges` has for each source the last row id of the anchor before, and of this one.
    `previous` is the hash of the statement before, empty for the first; `restart` is the reason
    for which the ranges begin at 0 again, usually empty.
    """

    number: int
    at: str
    key: str
    ranges: Mapping[str, tuple[int, int]]
    records: int
    root: str
    previous: str = ""
    restart: str = ""

    def to_bytes(self) -> bytes:
        """Return the signed bytes: a JSON object on several lines."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, sort_keys=True).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Statement":
        """Parse the bytes that `to_bytes` made; no signature is checked. Raises: Unreadable."""
        try:
            values: dict[str, Any] = json.loads(content)
            if values.pop("format") != FORMAT:
                raise Unreadable("the format is unknown")
            ranges = {name: (int(low), int(high)) for name, (low, high) in values["ranges"].items()}
            return cls(**{**values, "ranges": ranges})
        except (ValueError, TypeError, KeyError, AttributeError) as exc:
            raise Unreadable(str(exc)) from exc

    def covered(self, source: str) -> int:
        """Return the last row id that the anchors up to this one cover; 0 for an unknown source."""
        return self.ranges.get(source, (0, 0))[1]


def digest(content: bytes) -> str:
    """Return the SHA-256 of signed bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
